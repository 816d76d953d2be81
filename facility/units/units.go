// Package units parses, prints and converts the quantities a scenario or a catalogue states,
// each as a number with the unit people write: "48 kW", "2.5 MVA", "24 C", "415 V L-L", "1105 cfm".
//
// Inside the program a quantity is a float64 in its base unit, and the name of the variable says
// which: heatW, supplyC, flowLPM. This package is the only place where a unit is turned into another.
package units
