package metrics

import "math"

// Table is many step signals that share one clock: for each column what a StepSeries with Set alone would record, at a
// fraction of its cost, as the bins are walked once for all of them. Integrals are the same to the last bit for every
// grid; a row equal to the last one is not recorded, so that looking more often changes no bit either.
type Table struct {
	stepNS, lengthNS int64

	at   int64
	row  []float64 // values from at on, NaN: no figure
	bin  int
	acc  []float64 // integral over the known part of this bin so far
	dark []int64   // ns of this bin without a figure

	means   [][]float64 // by column, bins before bin
	total   []sum
	unknown []int64
}

// NewTable makes a table of so many columns in bins of stepNS from 0 to lengthNS; the last bin may be shorter. No column
// has a figure before the first Set. It panics when the step is not positive or the length is negative.
func NewTable(columns int, stepNS, lengthNS int64) *Table {
	if stepNS <= 0 || lengthNS < 0 {
		panic("metrics: a table needs a positive step and a length")
	}
	t := &Table{
		stepNS: stepNS, lengthNS: lengthNS,
		row: make([]float64, columns), acc: make([]float64, columns), dark: make([]int64, columns),
		means: make([][]float64, columns), total: make([]sum, columns), unknown: make([]int64, columns),
	}
	for c := range t.row {
		t.row[c] = math.NaN()
		t.means[c] = make([]float64, 0, t.Bins())
	}
	return t
}

// Bins is the number of bins.
func (t *Table) Bins() int {
	n := t.lengthNS / t.stepNS
	if t.lengthNS%t.stepNS > 0 {
		n++
	}
	return int(n)
}

// StepNS is the width of a bin in ns.
func (t *Table) StepNS() int64 { return t.stepNS }

// Set gives every column its value from now on; NaN stands for no figure. It panics when now is before the last change.
// What lies beyond the length is not recorded.
func (t *Table) Set(now int64, row []float64) {
	for c, v := range row {
		if old := t.row[c]; v != old && (v == v || old == old) { //nolint:gocritic // NaN differs from itself
			t.advance(now)
			copy(t.row, row)
			return
		}
	}
}

// Advance records what is up to now; to be called at the end of a run.
func (t *Table) Advance(now int64) { t.advance(now) }

// Row is the present values; they are the table's own and must not be changed.
func (t *Table) Row() []float64 { return t.row }

// Integral is the integral of a column up to the last change, in its unit times seconds.
func (t *Table) Integral(column int) float64 { return t.total[column].value() }

// UnknownS is the time up to the last change for which a column had no figure, in seconds.
func (t *Table) UnknownS(column int) float64 { return seconds(t.unknown[column]) }

// Means are a column's means over the bins, NaN where there is no figure. A bin that the table has not reached the end
// of is given as it stands.
func (t *Table) Means(column int) []float64 {
	out := make([]float64, t.Bins())
	n := copy(out, t.means[column])
	for i := n; i < len(out); i++ {
		out[i] = math.NaN()
	}
	if t.bin < len(out) {
		out[t.bin] = t.mean(column, t.at-int64(t.bin)*t.stepNS)
	}
	return out
}

// mean is that of a column over the first ns of the present bin.
func (t *Table) mean(column int, ns int64) float64 {
	if known := ns - t.dark[column]; known > 0 {
		return t.acc[column] / seconds(known)
	}
	return math.NaN()
}

func (t *Table) binEnd() int64 {
	start := int64(t.bin) * t.stepNS
	if t.lengthNS-start < t.stepNS {
		return t.lengthNS
	}
	return start + t.stepNS
}

func (t *Table) advance(now int64) {
	if now == t.at {
		return
	}
	checkForward(t.at, now)
	now = min(now, t.lengthNS)
	if now <= t.at {
		return
	}
	s := seconds(now - t.at)
	inBin := now < t.binEnd()
	total, acc := t.total[:len(t.row)], t.acc[:len(t.row)]
	for c, v := range t.row {
		if v == 0 {
			continue
		}
		if v != v { //nolint:gocritic // no figure
			t.unknown[c] += now - t.at
			if inBin {
				t.dark[c] += now - t.at
			}
			continue
		}
		x := v * s
		total[c].add(x)
		if inBin {
			acc[c] += x
		}
	}
	if inBin {
		t.at = now
		return
	}
	for t.at < now {
		end := t.binEnd()
		stop := min(end, now)
		t.fill(stop)
		if stop == end {
			t.closeBin(end)
		}
	}
}

// fill takes the row into the present bin up to a time within it.
func (t *Table) fill(stop int64) {
	ns := stop - t.at
	s := seconds(ns)
	for c, v := range t.row {
		if v != v { //nolint:gocritic // no figure
			t.dark[c] += ns
			continue
		}
		t.acc[c] += v * s
	}
	t.at = stop
}

// closeBin closes the present bin. One that had a single value all through has it as its mean, exactly.
func (t *Table) closeBin(end int64) {
	ns := end - int64(t.bin)*t.stepNS
	s := seconds(ns)
	for c, v := range t.row {
		m := t.mean(c, ns)
		if t.dark[c] == 0 && t.acc[c] == v*s {
			m = v
		}
		t.means[c] = append(t.means[c], m)
		t.acc[c], t.dark[c] = 0, 0
	}
	t.bin++
}
