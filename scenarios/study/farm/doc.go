// Package farm carries the runs of a study over NATS JetStream, so that other machines can make them. It is a package
// of its own: nobody who simulates links a message server.
//
// One process serves: it holds the store, decides which runs are needed, and embeds the NATS server or uses one that
// stands already. Any number of workers connect to it, take jobs and send rows back. What is on the wire may be lost
// at any time; the store says what is finished.
//
// Three streams carry a study. Jobs has one message for each run that is wanted, under the run's id, so that none is
// there twice. Leases has a message for each run that is being made; it names the worker, is renewed by its heartbeats
// and expires without them, and a worker that is handed a job whose lease stands leaves it alone. Done has the rows.
// A worker writes its row to Done before it takes its job out of Jobs, and the server writes the row to the store
// before it takes it out of Done: wherever something is killed, the run is in at least one of the places.
package farm
