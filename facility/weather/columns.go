package weather

import "math"

// columns are the hours of a file as they are read, NaN where the source has nothing, with the line
// each hour came from.
type columns struct {
	dryBulbC, rh, pressurePa, windMS []float64
	line                             []int
}

func newColumns(hours int) *columns {
	make1 := func() []float64 { return make([]float64, 0, hours) }
	return &columns{make1(), make1(), make1(), make1(), make([]int, 0, hours)}
}

func (c *columns) add(line int, dryBulbC, rh, pressurePa, windMS float64) {
	c.dryBulbC = append(c.dryBulbC, dryBulbC)
	c.rh = append(c.rh, rh)
	c.pressurePa = append(c.pressurePa, pressurePa)
	c.windMS = append(c.windMS, windMS)
	c.line = append(c.line, line)
}

// skip adds an hour of which nothing is known.
func (c *columns) skip(line int) {
	nan := math.NaN()
	c.add(line, nan, nan, nan, nan)
}

// finish fills the gaps and puts the hours into the series. Filled counts the hours in which
// temperature, humidity, or a pressure that the file has elsewhere was made up.
func (c *columns) finish(s *Series, p *problems) {
	n := len(c.dryBulbC)
	filled := make([]bool, n)
	wraps := !s.Actual
	for _, must := range []struct {
		name   string
		values []float64
	}{{"dry bulb", c.dryBulbC}, {"humidity", c.rh}} {
		at, gap, ok := fillGaps(must.values, wraps, filled)
		switch {
		case !ok:
			p.add(0, 0, "no %s in any hour", must.name)
		case gap > maxGapHours:
			p.add(c.line[at], 0, "%s missing for %d hours from here; gaps up to %d hours are filled",
				must.name, gap, maxGapHours)
		}
	}
	// Station pressure moves by two or three per cent, so a line through a long gap does no harm.
	if _, _, ok := fillGaps(c.pressurePa, wraps, filled); !ok {
		standardPa := StandardPressurePa(s.AltitudeM)
		for i := range c.pressurePa {
			c.pressurePa[i] = standardPa
		}
		s.Source += "; no pressure, standard atmosphere at altitude"
	}
	fillGaps(c.windMS, wraps, make([]bool, n)) // not counted; stays NaN when the file has no wind

	s.Samples = make([]Sample, n)
	for i := range s.Samples {
		s.Samples[i] = Sample{c.dryBulbC[i], c.rh[i], c.pressurePa[i], c.windMS[i]}
		if filled[i] {
			s.Filled++
		}
	}
	s.Coverage = 1 - float64(s.Filled)/float64(max(n, 1))
}
