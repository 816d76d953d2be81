package main

import (
	"testing"
	"time"
)

func TestClockSaysWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		share  []float64
		passed time.Duration
		want   string
	}{
		{[]float64{0.25}, time.Second, "simulating, 25 %"},
		{[]float64{0.25}, 10 * time.Second, "simulating, 25 %, about 30 s left"},
		{[]float64{1, 1, 0.5, 0}, 100 * time.Second, "simulating, 2 of 4 done, 62 %, about 60 s left"},
		{[]float64{0, 0}, time.Hour, "simulating, 0 of 2 done, 0 %"},
		{[]float64{1}, time.Hour, "simulating, 100 %"},
	} {
		k := &clock{what: "simulating", share: c.share}
		if got := k.line(c.passed); got != c.want {
			t.Errorf("%v after %s: got %q, want %q", c.share, c.passed, got, c.want)
		}
	}
	if tm := newTerminal(nil, nil, nil); tm.startClock("simulating", 1).part(0, time.Hour) != nil {
		t.Error("a clock where no screen is")
	}
}
