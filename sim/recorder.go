package sim

import "headroom/sim/metrics"

// recorder adds up rows of the meters on a goroutine of its own. Nothing that is metered acts back on the run, and in a
// large building the columns to add up at each event keep a second core busy. Rows come in the order of time and are
// taken in that order, so that no bit depends on it.
type recorder struct {
	table, batch *metrics.Table // batch: of the columns in batched, after the warm-up; nil before
	batchFromNS  int64
	site         [2]*powerMeter // of the facility and of IT

	cur         *rows
	full, empty chan *rows
	done        chan struct{} // nil while nothing is handed over
}

// rows is a chunk of what is handed over: 256 rows are 100 kB.
type rows struct {
	n    int
	atNS [256]int64
	row  [256][columns]float64
}

// add takes the row of an instant.
func (r *recorder) add(now int64, row *[columns]float64) {
	if r.cur == nil {
		r.cur = &rows{}
	}
	c := r.cur
	c.atNS[c.n], c.row[c.n] = now, *row
	if c.n++; c.n < len(c.row) {
		return
	}
	if r.done == nil {
		r.full, r.empty, r.done = make(chan *rows, 1), make(chan *rows, 2), make(chan struct{})
		r.empty <- &rows{}
		r.empty <- &rows{}
		go r.take()
	}
	r.full <- c
	r.cur = <-r.empty
}

// take adds up what is handed over until there is no more.
func (r *recorder) take() {
	for c := range r.full {
		r.addUp(c)
		r.empty <- c
	}
	close(r.done)
}

// flush waits until all rows are added up. What is metered may be read until the next add.
func (r *recorder) flush() {
	if r.done != nil {
		close(r.full)
		<-r.done
		r.done = nil
	}
	if r.cur != nil {
		r.addUp(r.cur)
	}
}

func (r *recorder) addUp(c *rows) {
	for i := range c.n {
		now, row := c.atNS[i], &c.row[i]
		r.table.Set(now, row[:])
		if r.batch != nil {
			var part [len(batched)]float64
			for k, col := range batched {
				part[k] = row[col]
			}
			r.batch.Set(now-r.batchFromNS, part[:])
		}
		r.site[0].set(now, row[cFacility])
		r.site[1].set(now, row[cIT])
	}
	c.n = 0
}
