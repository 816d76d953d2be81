package scenarios

import "slices"

// Racks that have names of their own stand in lines with names; several such lines, one after the other, may
// make up one row, so that a row of unlike racks can be written.

// nameRacks counts the racks of a line by their names and tells what is wrong with them.
func (b *builder) nameRacks(l *rackLine) {
	if len(l.Names) == 0 {
		return
	}
	if l.has("count") && l.Count != len(l.Names) {
		b.d.fail(l.of("count"), joinKey(l.path, "count"), "", "%d names for %d racks", len(l.Names), l.Count)
	}
	if l.Row == "" {
		b.d.fail(l.at, joinKey(l.path, "row"), "write, for example, row: A", "racks with names of their own need the name of their row")
	}
	l.Count = len(l.Names)
	for _, name := range l.Names {
		if slices.ContainsFunc([]rune(name), func(r rune) bool { return r < ' ' || r == '[' || r == ']' }) {
			b.d.fail(l.of("names"), joinKey(l.path, "names"), "", "want a name without brackets (got %s)", quoteShort(name))
		}
	}
}

// strip is one row on the floor as its lines fill it.
type strip struct {
	yM, xM float64 // front of the row, and where the next rack begins
	places int
}
