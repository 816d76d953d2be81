package main

import (
	"fmt"
	"sync"
	"time"

	"headroom/plots/show"
)

// clock shows on a screen how far runs have come and how long the rest will take. It is silent where no screen is.
type clock struct {
	t     *terminal
	what  string
	begun time.Time

	mu    sync.Mutex
	share []float64 // of each run, 0 to 1
	shown time.Time
}

// How often the line is drawn, and how much must be done before the rest is estimated.
const (
	clockEvery = 100 * time.Millisecond
	clockAfter = 2 * time.Second
	clockShare = 0.01
)

func (t *terminal) startClock(what string, runs int) *clock {
	return &clock{t: t, what: what, begun: time.Now(), share: make([]float64, runs)}
}

// part returns what one run tells its simulated time to.
func (c *clock) part(i int, length time.Duration) func(ns int64) {
	if !c.t.live || c.t.quiet {
		return nil
	}
	return func(ns int64) { c.set(i, float64(ns)/float64(max(1, length))) }
}

func (c *clock) done(i int) { c.set(i, 1) }

func (c *clock) set(i int, share float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.share[i] = share
	if now := time.Now(); now.Sub(c.shown) >= clockEvery {
		c.shown = now
		c.t.progress("%s", c.line(now.Sub(c.begun)))
	}
}

// line says what is done, and once enough is, what is left.
func (c *clock) line(passed time.Duration) string {
	done, sum := 0, 0.0
	for _, s := range c.share {
		sum += min(s, 1)
		if s >= 1 {
			done++
		}
	}
	sum /= float64(max(1, len(c.share)))
	line := fmt.Sprintf("%s, %.0f %%", c.what, 100*sum)
	if n := len(c.share); n > 1 {
		line = fmt.Sprintf("%s, %d of %d done, %.0f %%", c.what, done, n, 100*sum)
	}
	if passed >= clockAfter && sum >= clockShare && sum < 1 {
		line += ", about " + show.Seconds((passed.Seconds()/sum)*(1-sum)) + " left"
	}
	return line
}
