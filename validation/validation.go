// Package validation holds the product against published and measured numbers. A test states a Target (what is
// compared, the published number, how far off counts as agreement, and where the number is from) and calls Check
// with what the product says. Check fails the test on a disagreement that the checked-in table does not name, and on
// one that has grown; `make validate` collects every row of every package into docs/validation.md.
//
// Only tests and the book import it; no part of the product does.
package validation

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// RecordTo is the variable that names the folder into which Check writes rows; unset, it writes none.
const RecordTo = "HEADROOM_VALIDATION"

// Target is one number that the product is held against. Low and High bound what counts as agreement, in Unit.
type Target struct {
	ID        string  // area/name; the area is the chapter of the book
	What      string  // what is compared, for a reader
	Unit      string  // of every number here, "" for a plain number
	Published float64 // NaN where a range alone is published
	Low, High float64
	Source    string // where the number is from, spelled out
	Measured  bool   // the number comes from the folder of real data, which not every machine has
}

// Share is a target that may be missed by a share of itself.
func Share(id, what, unit string, published, share float64, source string) Target {
	d := math.Abs(published) * share
	return Target{ID: id, What: what, Unit: unit, Published: published, Low: published - d, High: published + d, Source: source}
}

// Within is a target that may be missed by so many of its unit.
func Within(id, what, unit string, published, by float64, source string) Target {
	return Target{ID: id, What: what, Unit: unit, Published: published, Low: published - by, High: published + by, Source: source}
}

// Range is a target of which a range is published.
func Range(id, what, unit string, low, high float64, source string) Target {
	return Target{ID: id, What: what, Unit: unit, Published: math.NaN(), Low: low, High: high, Source: source}
}

// FromData marks a target whose number is read from the folder of real data.
func (t Target) FromData() Target {
	t.Measured = true
	return t
}

// Used returns how much of what is allowed a simulated value uses: 0 in the middle of the range, 1 at its ends, more
// outside. Where nothing is allowed it is 0 for the value itself and +Inf for any other.
func (t Target) Used(simulated float64) float64 {
	half, off := (t.High-t.Low)/2, math.Abs(simulated-(t.High+t.Low)/2)
	switch {
	case math.IsNaN(off):
		return math.Inf(1)
	case half <= 0 && off == 0:
		return 0
	case half <= 0:
		return math.Inf(1)
	}
	return off / half
}

// Row is a target with what the product says.
type Row struct {
	Target
	Simulated float64
}

// Miss says whether the value lies outside what counts as agreement.
func (r Row) Miss() bool { return r.Used(r.Simulated) > 1+1e-9 }

// row is a Row as it is written: JSON has no NaN.
type row struct {
	ID, What, Unit, Source string
	Published              *float64
	Low, High, Simulated   float64
	Measured               bool
}

// Encode returns the row as one line of JSON.
func (r Row) Encode() ([]byte, error) {
	o := row{ID: r.ID, What: r.What, Unit: r.Unit, Source: r.Source, Low: r.Low, High: r.High, Simulated: r.Simulated, Measured: r.Measured}
	if !math.IsNaN(r.Published) {
		o.Published = &r.Published
	}
	return json.Marshal(o)
}

// Decode reads what Encode wrote.
func Decode(line []byte) (Row, error) {
	var o row
	if err := json.Unmarshal(line, &o); err != nil {
		return Row{}, fmt.Errorf("row %q: %w", line, err)
	}
	r := Row{Target: Target{ID: o.ID, What: o.What, Unit: o.Unit, Source: o.Source, Published: math.NaN(), Low: o.Low, High: o.High, Measured: o.Measured}, Simulated: o.Simulated}
	if o.Published != nil {
		r.Published = *o.Published
	}
	return r, nil
}

// Accepted is what the checked-in table says of a target.
type Accepted struct {
	Used     float64 // of what is allowed; over 1 is a miss that is named
	Measured bool    // its number comes from the folder of real data
}

//go:embed accepted.tsv
var acceptedTSV string

// Table returns the checked-in table: every target, by id.
func Table() (map[string]Accepted, error) {
	table := map[string]Accepted{}
	for i, line := range strings.Split(strings.TrimSpace(acceptedTSV), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("accepted.tsv:%d: %d columns, want id, used and data", i+1, len(f))
		}
		used, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, fmt.Errorf("accepted.tsv:%d: %w", i+1, err)
		}
		if _, again := table[f[0]]; again {
			return nil, fmt.Errorf("accepted.tsv:%d: %s stands twice", i+1, f[0])
		}
		table[f[0]] = Accepted{Used: used, Measured: f[2] == "real"}
	}
	return table, nil
}

// A row may use a little more of what is allowed than the table says before it counts as wider.
const (
	slack      = 0.05 // of what is allowed
	slackShare = 0.05 // of what the table says
)

// Wider says whether used is more than the table accepts.
func (a Accepted) Wider(used float64) bool {
	if a.Used > 1 && used <= 1 {
		return false
	}
	if a.Used <= 1 && used > 1+1e-9 {
		return true
	}
	return used > a.Used+math.Max(slack, slackShare*a.Used)
}

// Check holds what the product says against the target and the checked-in table.
func (t Target) Check(tb testing.TB, simulated float64) {
	tb.Helper()
	r := Row{Target: t, Simulated: simulated}
	if math.IsNaN(simulated) || math.IsInf(simulated, 0) {
		tb.Errorf("%s: %s is %v", t.ID, t.What, simulated)
		return
	}
	if dir := os.Getenv(RecordTo); dir != "" {
		if err := r.append(dir); err != nil {
			tb.Fatal(err)
		}
		return // the book judges, and says all that is wrong at once
	}
	table, err := Table()
	if err != nil {
		tb.Fatal(err)
	}
	for _, word := range strings.Fields(t.What + " " + t.Source) { // the book is for every machine
		if strings.HasPrefix(word, "/") && strings.Count(word, "/") > 1 {
			tb.Errorf("%s names a path of this machine: %s", t.ID, word)
		}
	}
	used := t.Used(simulated)
	tb.Logf("%-44s %12.6g %s, allowed %.6g to %.6g", t.ID, simulated, t.Unit, t.Low, t.High)
	a, ok := table[t.ID]
	switch {
	case !ok:
		tb.Errorf("%s is not in validation/accepted.tsv: make validate adds it", t.ID)
	case a.Wider(used) && r.Miss():
		tb.Errorf("%s: %s is %.6g %s, allowed %.6g to %.6g (%s); the table accepts %.2f of the way to the limit, this is %.2f", t.ID, t.What, simulated, t.Unit, t.Low, t.High, t.Source, a.Used, used)
	case a.Wider(used):
		tb.Errorf("%s: %s is %.6g %s, still allowed, but the error grew from %.2f to %.2f of what is: make validate ACCEPT=-accept if that is meant", t.ID, t.What, simulated, t.Unit, a.Used, used)
	}
}

// append adds the row to this process's file in dir.
func (r Row) append(dir string) error {
	line, err := r.Encode()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", os.Getpid())), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
