package workload

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// TraceNode is one server of a trace's cluster.
type TraceNode struct {
	Name             string
	CPUMilli, MemMiB int64
	GPUs             int32
	Model            string // of its GPUs, "" without any
}

// ReadAlibabaNodes reads the node list of the Alibaba GPU trace of 2023 (columns sn, cpu_milli, memory_mib, gpu, model),
// plain or gzip. Errors are as in ReadCSV.
func ReadAlibabaNodes(r io.Reader, name string) ([]TraceNode, error) {
	errs := &TraceErrors{}
	l := openLines(r, name, errs)
	if l == nil {
		return nil, errs
	}
	var fields []field
	header, ok := nextFields(l, &fields)
	if !ok {
		errs.add(TraceError{File: name, Message: "the file is empty"})
		return nil, errs
	}
	c, ok := findColumns(l, header, "sn", "cpu_milli", "memory_mib", "gpu", "model")
	if !ok {
		return nil, errs
	}
	columns := len(header)
	var nodes []TraceNode
	for {
		f, ok := nextFields(l, &fields)
		if !ok {
			break
		}
		if len(f) != columns {
			l.fail(0, "%d fields where the header has %d", len(f), columns)
			continue
		}
		cpu, bad1 := parseCount(f[c[1]].text, math.MaxInt32)
		mem, bad2 := parseCount(f[c[2]].text, math.MaxInt32)
		gpus, bad3 := parseCount(f[c[3]].text, 1<<20)
		bad := false
		for i, problem := range [...]string{bad1, bad2, bad3} {
			if problem != "" {
				l.fail(f[c[i+1]].col, "%s: %s", header[c[i+1]].text, problem)
				bad = true
			}
		}
		if !bad {
			nodes = append(nodes, TraceNode{string(f[c[0]].text), cpu, mem, int32(gpus), string(f[c[4]].text)})
		}
	}
	if len(errs.List) > 0 {
		return nodes, errs
	}
	return nodes, nil
}

// findColumns is the place of each named column.
func findColumns(l *lines, header []field, names ...string) ([]int, bool) {
	at, good := make([]int, len(names)), true
	for i, name := range names {
		var problem string
		if at[i], problem = columnAt(header, name); problem != "" {
			l.fail(0, "%s", problem)
			good = false
		}
	}
	return at, good
}

// columnAt is the place of a column, or what is wrong.
func columnAt(header []field, name string) (at int, problem string) {
	at = -1
	names := make([]string, len(header))
	for i, f := range header {
		names[i] = strings.TrimSpace(string(f.text))
		if names[i] != name {
			continue
		}
		if at >= 0 {
			return -1, fmt.Sprintf("the column %q is there twice", name)
		}
		at = i
	}
	if at < 0 {
		return -1, fmt.Sprintf("no column %q; there are %s", name, quote([]byte(strings.Join(names, ", "))))
	}
	return at, ""
}

// parseCount reads a whole number from 0 to most.
func parseCount(b []byte, most int64) (int64, string) {
	x, problem := parseNumber(b)
	switch {
	case problem != "":
		return 0, problem
	case x != math.Trunc(x):
		return 0, quote(b) + " is not a whole number"
	case x > float64(most):
		return 0, fmt.Sprintf("%s is more than %d", quote(b), most)
	}
	return int64(x), ""
}
