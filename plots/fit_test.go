package plots

import (
	"strings"
	"testing"

	"headroom/facility/placement"
)

// Limits that tie are all named: in words where the bars leave room for them, else in letters; none is cut off.
func TestFitNamesTies(t *testing.T) {
	bar := fitBar{name: "A01", racks: 1, binding: placement.Power, ties: []placement.Limit{placement.Air}}
	if got, want := bar.letters(), "P+A"; got != want {
		t.Errorf("letters %q, want %q", got, want)
	}
	if got, want := bar.words(), "rack power and air cooling"; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
	for _, c := range []struct {
		bars  int
		words bool
	}{{4, true}, {20, false}} {
		bars := make([]fitBar, c.bars)
		for i := range bars {
			bars[i] = bar
		}
		if m := newFitMark(bars, 1, 900); m.words != c.words {
			t.Errorf("%d bars in words: %v, want %v", c.bars, m.words, c.words)
		}
	}
	if key := letterKey([]fitBar{bar}); !strings.Contains(key, "P rack power") || !strings.Contains(key, "A air cooling") {
		t.Errorf("the key of the letters: %q", key)
	}
}
