package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"headroom/plots"
	"headroom/plots/report"
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
func writeResult(ctx context.Context, t *terminal, out *output, r *sim.Result, resolved func() ([]byte, error), charts string) error {
	drawn := chartFiles(t, r, charts)
	var names []string
	for _, c := range drawn {
		names = append(names, c.name)
	}
	files := []resultFile{
		{"report.md", func(w io.Writer) error { return report.Markdown(w, r, names) }},
		{"result.json", func(w io.Writer) error { return report.JSON(w, r) }},
		{"series.csv", func(w io.Writer) error { return report.SeriesCSV(w, r) }},
		{"events.csv", func(w io.Writer) error { return report.EventsCSV(w, r) }},
		resolvedFile(resolved),
	}
	return writeAll(ctx, t, out, append(files, drawn...))
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

// chartFiles are the charts of a result in one format, none for "none".
func chartFiles(t *terminal, r *sim.Result, format string) []resultFile {
	if format == "none" {
		return nil
	}
	for _, m := range plots.Missing(r) {
		t.warn(m)
	}
	var files []resultFile
	for _, c := range plots.Charts() {
		files = append(files, resultFile{"charts/" + c.FileName(format), func(w io.Writer) error {
			return plots.Draw(c, r, format, w)
		}})
	}
	return files
}

// writeAll stages files with a few workers, moves them into place once all are whole, and says so. Errors come in
// the order of the files.
func writeAll(ctx context.Context, t *terminal, out *output, files []resultFile) error {
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
