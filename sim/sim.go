// Package sim is the engine: a hybrid discrete-event simulation that joins power, cooling, heat, clocks,
// failures and queues. It owns every state that evolves in time and has no time step.
package sim
