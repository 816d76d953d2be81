package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong, or worth knowing, at one place of an input file.
type Problem struct {
	File      string // as handed to Load; "--set" for a command line overlay
	Line, Col int    // from 1; 0 where there is no place, for example a missing whole section
	Path      string // "racks[A].power"
	Msg       string // what, with what was got and what is wanted
	Hint      string // one line of advice, "" for none
}

// String prints the problem as file:line:col: path: what, and the hint on a second line.
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Col)
	if p.Path != "" {
		b.WriteString(p.Path)
		b.WriteString(": ")
	}
	b.WriteString(p.Msg)
	if p.Hint != "" {
		b.WriteString("\n    hint: ")
		b.WriteString(p.Hint)
	}
	return b.String()
}

// Problems is everything that is wrong with an input, in the order of its files and lines. It is the
// error that Load, Build and Configure return.
type Problems []Problem

// Error prints one problem a line, each with its hint on the line after it.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds what is reported: a file that is wrong everywhere is not read to the end by anyone.
const maxProblems = 200

// sorted returns the problems by file, line and column, each once. Files keep the order in which main,
// the scenario's own name, comes first.
func (p Problems) sorted(main string) Problems {
	q := slices.Clone(p)
	slices.SortStableFunc(q, func(a, b Problem) int {
		if c := cmp.Compare(boolInt(a.File != main), boolInt(b.File != main)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	q = slices.CompactFunc(q, func(a, b Problem) bool { return a == b })
	if len(q) > maxProblems {
		more := len(q) - maxProblems
		q = append(q[:maxProblems:maxProblems], Problem{File: main, Msg: fmt.Sprintf("and %d more problems", more)})
	}
	return q
}

// Sorted returns the problems by file, line and column, each once, those of the file main first.
func (p Problems) Sorted(main string) Problems { return p.sorted(main) }

// err returns the problems as an error, nil when there are none.
func (p Problems) err(main string) error {
	if len(p) == 0 {
		return nil
	}
	return p.sorted(main)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
