// Package event is the clock and the event queue: total order by (time, kind, sequence), events as small values.
package event
