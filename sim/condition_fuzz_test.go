package sim

import (
	"math"
	"strings"
	"testing"
)

// FuzzParseCondition: what is taken names one figure there is and a finite number, and reads the same when written out.
func FuzzParseCondition(f *testing.F) {
	f.Add("pue>1.3")
	f.Add(" thermal.throttled_share < 1% ")
	f.Add("energy.pue1!=0x1p-3")
	f.Add("utilization>=1e400")
	keys := map[string]bool{}
	for _, c := range Cells() {
		keys[c.Key] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		inside := false
		for k := range keys { // a figure of a list is a key below a cell
			inside = inside || c.Key == k || strings.HasPrefix(c.Key, k+".")
		}
		if !inside || math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
			t.Fatalf("%+v", c)
		}
		if c.Holds(math.NaN()) {
			t.Fatal("an unknown figure meets a condition")
		}
		if c.Holds(c.Value) != (c.Op == ">=" || c.Op == "<=" || c.Op == "==") {
			t.Fatalf("%+v at its own value", c)
		}
	})
}
