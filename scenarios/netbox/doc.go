// Package netbox turns what NetBox exports of a hall (racks, devices and their types, power ports, outlets,
// panels and feeds, rack reservations) into a scenario: rows of racks with their circuits, and what stands in
// them as reserved units and watts.
//
// It reads NetBox's CSV exports (headings as the import forms and as the tables have them) and the JSON of
// its REST API, of versions 3 and 4. What is not known stays unknown and is told with the share that is
// known; what has no place in a scenario is listed with file and line. NetBox's own names of fields are kept.
package netbox
