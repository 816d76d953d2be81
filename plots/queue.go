package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

// queueFigure shows who waited, and where every job ended.
func queueFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: queueTitle(r), subtitle: subtitle(r)}
	jobs := &panel{at: box{0, 0, 1, 0.24}, title: "Waiting jobs"}
	gpus := &panel{at: box{0, 0.25, 1, 0.53}, title: "GPUs that waiting jobs ask for"}
	waits := &panel{at: box{0, 0.56, 0.44, 1}, title: "Wait before the start, by class"}
	table := &panel{at: box{0.47, 0.56, 1, 1}, title: "Where every job ended", free: func(p *pen, rect vg.Rectangle) { drawJobs(p, rect, &r.Jobs) }}
	f.panels = []*panel{jobs, gpus, waits, table}
	queuePanel(jobs, &t, "queue_jobs", navy, navyTint)
	queuePanel(gpus, &t, "queue_gpus", orangeInk, orangeTnt)
	if v, q := t.col("gpus_available"), t.col("queue_gpus"); gpus.why == "" && v != nil && q != nil {
		if hi := maxOf(v); hi <= maxOf(q)*limitInView && hi > 0 {
			gpus.y.max = max(gpus.y.max, hi*1.06)
			gpus.marks = append(gpus.marks, levelMark{"all GPUs", hi, referenceStyle(grey)})
			gpus.labels = append(gpus.labels, sideLabel{hi, "all that are up: " + show.Plain(hi), grey})
		}
	}
	quietAbove(jobs, gpus)
	waitPanel(waits, &r.Jobs)
	f.notes = append(f.notes, jobs.binNote(&t)...)
	f.notes = append(f.notes, t.note("queue_jobs", "queue_gpus")...)
	j := &r.Jobs
	if n := j.Running + j.Queued; n > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s at the end of the run (%s running, %s queued) are censored: waits are of jobs that had started.", show.Of(int(n), "job"), show.Count(j.Running), show.Count(j.Queued)))
	}
	return f
}

func queueTitle(r *sim.Result) string {
	j := &r.Jobs
	s := fmt.Sprintf("%s of %s submitted are done", show.Count(j.Done), show.Of(int(j.Submitted), "job"))
	if j.Submitted == 0 {
		s = "No job was submitted"
	}
	switch w := &j.WaitS; {
	case w.P50.Known() && w.P95.Known() && w.P95 == 0:
		s += "; 95 % of jobs start at once"
	case w.P50.Known() && w.P95.Known() && w.P50 == 0:
		s += "; half start at once, 95 % within " + show.Seconds(float64(w.P95))
	case w.P50.Known() && w.P95.Known():
		s += "; half wait under " + show.Seconds(float64(w.P50)) + ", 95 % under " + show.Seconds(float64(w.P95))
	default:
		s += "; waits are unknown"
	}
	return s
}

// mostClasses is how many classes a chart names; the rest stand together under their number.
const mostClasses = 9

// waitPanel draws p50, p95 and p99 of each class on a logarithmic axis of time. Who starts within a second stands at its
// left end.
func waitPanel(pn *panel, j *sim.Jobs) {
	var rows []waitRow
	for i := range j.ByClass {
		c := &j.ByClass[i]
		if w := c.WaitS; w.P50.Known() && w.P95.Known() && w.P99.Known() {
			rows = append(rows, waitRow{clean(c.Class), float64(w.P50), float64(w.P95), float64(w.P99)})
		}
	}
	if len(rows) == 0 {
		pn.why = "No waits: no class has jobs whose wait is known."
		return
	}
	if n := len(rows); n > mostClasses {
		pn.title += fmt.Sprintf(" (%d of %d)", mostClasses, n)
		rows = rows[:mostClasses]
	}
	const least = 1.0 // s
	hi := 60.0
	for _, x := range rows {
		if finite(x.p99) {
			hi = math.Max(hi, math.Min(x.p99, 1e10))
		}
	}
	pn.x = axis{min: math.Log10(least), max: math.Log10(hi) + 0.12, ticker: durationTicks, label: "log scale"}
	pn.y = axis{min: 0, max: float64(len(rows))}
	var ticks fixedTicks
	for i := range rows {
		ticks = append(ticks, tick(float64(len(rows)-i)-0.5, fit(rows[i].name, sizeTick, false, 150)))
	}
	pn.y.ticker = ticks
	pn.marks = append(pn.marks, waitMark{rows, least})
	pn.legend = []legendEntry{{"p50 (stroke) to p95", navy, "box"}, {"p99", orangeInk, "box"}}
}

type waitRow struct {
	name          string
	p50, p95, p99 float64
}

type waitMark struct {
	rows  []waitRow
	least float64
}

func (m waitMark) label() string { return "waits" }
func (m waitMark) below() bool   { return false }

func (m waitMark) draw(p *pen, t trans) {
	h := min((t.r.Max.Y-t.r.Min.Y)/vg.Length(len(m.rows))*0.3, 12)
	at := func(v float64) vg.Length { return min(max(t.x(logOf(v, m.least)), t.r.Min.X), t.r.Max.X) }
	for i, x := range m.rows {
		y := t.y(float64(len(m.rows)-i) - 0.5)
		a, b, c := at(x.p50), at(x.p95), at(x.p99)
		p.rect(vg.Rectangle{Min: vg.Point{X: a, Y: y - h}, Max: vg.Point{X: max(b, a+1.5), Y: y + h}}, navyTint)
		p.line(a, y-h-2, a, y+h+2, draw.LineStyle{Color: navy, Width: 3})
		p.line(b, y-h, b, y+h, draw.LineStyle{Color: navy, Width: lineData})
		p.rect(vg.Rectangle{Min: vg.Point{X: c - 4, Y: y - 4}, Max: vg.Point{X: c + 4, Y: y + 4}}, orangeInk)
	}
}

// drawJobs is the conservation table: every submitted job in exactly one bucket.
func drawJobs(p *pen, r vg.Rectangle, j *sim.Jobs) {
	type row struct {
		name string
		c    sim.JobCounts
	}
	rows := []row{{"all", j.JobCounts}}
	for i := range j.ByClass {
		rows = append(rows, row{clean(j.ByClass[i].Class), j.ByClass[i].JobCounts})
	}
	left := 0
	if len(rows) > mostClasses+1 {
		left = len(rows) - mostClasses - 1
		rows = rows[:mostClasses+1]
	}
	heads := []string{"class", "submitted", "done", "running", "queued", "rejected", "unplaceable", "killed", "lost"}
	cell := func(k int, c sim.JobCounts) int64 {
		return [...]int64{0, c.Submitted, c.Done, c.Running, c.Queued, c.Rejected, c.Unplaceable, c.Killed, c.Lost}[k]
	}
	width := r.Max.X - r.Min.X
	rowH := min((r.Max.Y-r.Min.Y)/vg.Length(len(rows)+2), 26)
	// Columns as wide as their heads, with what is left between them.
	total := vg.Length(0)
	for _, h := range heads[1:] {
		total += textWidth(h, sizeSmall, false)
	}
	nameW := min(width*0.2, width-total-8*vg.Length(len(heads)))
	gap := (width - nameW - total) / vg.Length(len(heads)-1)
	right := make([]vg.Length, len(heads))
	right[0] = r.Min.X + nameW
	for k := 1; k < len(heads); k++ {
		right[k] = right[k-1] + gap + textWidth(heads[k], sizeSmall, false)
	}
	y := r.Max.Y - 4
	p.text(r.Min.X, y, heads[0], style{size: sizeSmall, color: grey, ay: 1})
	for k := 1; k < len(heads); k++ {
		p.text(right[k], y, heads[k], style{size: sizeSmall, color: grey, ax: 1, ay: 1})
	}
	for i, x := range rows {
		y -= rowH
		bold := i == 0
		p.line(r.Min.X, y+rowH*0.32, r.Max.X, y+rowH*0.32, draw.LineStyle{Color: gridGrey, Width: lineGrid})
		p.text(r.Min.X, y, fit(x.name, sizeSmall, bold, nameW-6), style{size: sizeSmall, bold: bold, color: ink, ay: 1})
		for k := 1; k < len(heads); k++ {
			s := show.Count(cell(k, x.c))
			p.text(right[k], y, fit(s, sizeSmall, bold, right[k]-right[k-1]-4), style{size: sizeSmall, bold: bold, color: ink, ax: 1, ay: 1})
		}
	}
	y -= rowH
	c := j.JobCounts
	sum := c.Done + c.Running + c.Queued + c.Rejected + c.Unplaceable + c.Killed + c.Lost
	s, tint := "done + running + queued + rejected + unplaceable + killed + lost = submitted", green
	if sum != c.Submitted {
		s, tint = fmt.Sprintf("does not add up: %s in the buckets, %s submitted", show.Count(sum), show.Count(c.Submitted)), limitRed
	}
	if left > 0 {
		s = fmt.Sprintf("%s not shown. ", fmt.Sprintf("%d more classes", left)) + s
	}
	p.text(r.Min.X, y, fit(s, sizeSmall, false, width), style{size: sizeSmall, color: tint, ay: 1})
}
