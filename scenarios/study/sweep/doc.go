// Package sweep makes the runs of a study: it lays a scenario's study section out into runs in a fixed order, hands
// them to workers, keeps what is finished, and decides what a search or a stopping rule needs next.
//
// A run is a pure function of the model's version, the resolved scenario, the contents of its input files and its
// seed; their hash is its id, and the [Store] keeps its row under that id. Resuming a study, sharing runs with
// another and two people at work on one study are therefore nothing special: a run that is in the store is not made
// again. A [Queue] only carries runs to workers and may lose everything it holds.
//
// Results do not depend on who worked: the order of rows is that of the study, and stopping rules and searches
// decide on prefixes of the replicates, never on who finished first.
package sweep
