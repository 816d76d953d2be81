package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"headroom/plots"
	"headroom/plots/columnar"
	"headroom/plots/document"
	"headroom/plots/report"
	"headroom/plots/workbook"
	"headroom/scenarios"
	"headroom/sim"
)

// chartWorkers draw at once: two halve the time of many charts, and two processors are what every machine has.
const chartWorkers = 2

// resultFile is one file of an output folder.
type resultFile struct {
	name string
	fill func(io.Writer) error
}

// writeResult stages the files of a result and moves them into place.
func writeResult(ctx context.Context, t *terminal, out *output, r *sim.Result, sc *scenarios.Scenario, o *resultFlags) error {
	drawn := drawCharts(t, r, o.charts, nil)
	used, err := usedFigures(sc, r.Layout.Facility)
	if err != nil {
		return err
	}
	doc, err := report.Document(r, report.Options{Charts: pictures(drawn, o.charts), Used: used})
	if err != nil {
		return err
	}
	files := []resultFile{
		{"report.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{"report.xlsx", func(w io.Writer) error { return workbook.Write(w, doc) }},
		{"result.json", func(w io.Writer) error { return report.JSON(w, r) }},
	}
	if o.series != "parquet" {
		files = append(files,
			resultFile{"series.csv", func(w io.Writer) error { return report.SeriesCSV(w, r) }},
			resultFile{"events.csv", func(w io.Writer) error { return report.EventsCSV(w, r) }})
	}
	if o.series != "csv" {
		files = append(files,
			resultFile{"series.parquet", func(w io.Writer) error { return columnar.Series(w, r) }},
			resultFile{"events.parquet", func(w io.Writer) error { return columnar.Events(w, r) }})
	}
	files = append(files, resultFile{"racks.csv", func(w io.Writer) error { return report.RacksCSV(w, r) }}, resolvedFile(sc.Resolved))
	files = append(files, chartFiles(drawn, o.charts)...)
	// The page holds the charts: it comes last, when they are drawn.
	return writeAll(ctx, t, out, append(files, resultFile{"report.html", func(w io.Writer) error { return document.WriteHTML(w, doc) }}))
}

// resolvedFile is the scenario with every default, from which the same run can be made again.
func resolvedFile(resolved func() ([]byte, error)) resultFile {
	return resultFile{"scenario.resolved.yaml", func(w io.Writer) error {
		data, err := resolved()
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}}
}

// drawing is one chart of a result, drawn once in each format that asks for it.
type drawing struct {
	chart plots.Chart
	in    map[string]func() ([]byte, error)
}

// drawCharts readies the charts of a result in one format; for "none" there are none. only names those that are
// wanted, nil stands for all.
func drawCharts(t *terminal, r *sim.Result, format string, only []string) []drawing {
	if format == "none" {
		return nil
	}
	for _, m := range plots.Missing(r) {
		t.warn(m)
	}
	var out []drawing
	for _, c := range plots.Charts() {
		if only != nil && !slices.Contains(only, c.Name) {
			continue
		}
		d := drawing{c, map[string]func() ([]byte, error){}}
		for _, f := range []string{format, pageFormat(format)} {
			d.in[f] = sync.OnceValues(func() ([]byte, error) {
				var b bytes.Buffer
				err := plots.Draw(c, r, f, &b)
				return b.Bytes(), err
			})
		}
		out = append(out, d)
	}
	return out
}

// pageFormat is the format in which a page carries charts that lie beside it in another.
func pageFormat(format string) string {
	if format == "pdf" {
		return "png"
	}
	return format
}

// chartFiles are the drawings as files.
func chartFiles(drawn []drawing, format string) []resultFile {
	var files []resultFile
	for _, d := range drawn {
		files = append(files, resultFile{"charts/" + d.chart.FileName(format), func(w io.Writer) error {
			data, err := d.in[format]()
			if err != nil {
				return err
			}
			_, err = w.Write(data)
			return err
		}})
	}
	return files
}

// pictures are the drawings as figures of a report.
func pictures(drawn []drawing, format string) []*document.Figure {
	var out []*document.Figure
	for _, d := range drawn {
		out = append(out, report.Chart(d.chart, "charts/"+d.chart.FileName(format), pageFormat(format), d.in[pageFormat(format)]))
	}
	return out
}

// writeAll stages files with a few workers, moves them into place once all are whole, and says so. Errors come in
// the order of the files.
func writeAll(ctx context.Context, t *terminal, out *output, files []resultFile) error {
	var all []string
	for _, f := range files {
		all = append(all, f.name)
	}
	if err := out.check(all); err != nil {
		return err
	}
	errs := make([]error, len(files))
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range chartWorkers {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = writeOne(out, files[i])
				}
				t.progress("writing %d/%d", done.Add(1), len(files))
			}
		})
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		if !strings.HasPrefix(f.name, "charts/") {
			names = append(names, f.name)
		}
	}
	t.note("wrote %s: %s, %d charts", out.dir, strings.Join(names, ", "), len(files)-len(names))
	return nil
}

// writeOne turns a panic into an error: in a worker it would end the process and leave the staging folder.
func writeOne(out *output, f resultFile) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error: %v\n%s", f.name, p, debug.Stack())
		}
	}()
	if err = out.write(f.name, f.fill); err != nil {
		err = fmt.Errorf("%s: %w", f.name, err)
	}
	return err
}
