// Command book puts the rows that the tests wrote into docs/validation.md and validation/accepted.tsv.
//
// It refuses (exit 1, nothing written) when a target of the table has no row although its data was there, when a
// miss is new, or when an error has grown; -accept writes what there is. With -check it writes nothing.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"headroom/validation"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("book", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rows := flags.String("rows", os.Getenv(validation.RecordTo), "folder into which the tests wrote their rows")
	root := flags.String("root", ".", "the repository")
	accept := flags.Bool("accept", false, "write the table although a miss is new, an error has grown or a target is gone")
	check := flags.Bool("check", false, "write nothing")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *rows == "" {
		fmt.Fprintln(stderr, "book: no -rows: run make validate")
		return 2
	}
	recorded, err := readRows(os.DirFS(*rows))
	if err != nil {
		fmt.Fprintln(stderr, "book:", err)
		return 1
	}
	table, err := validation.Table()
	if err != nil {
		fmt.Fprintln(stderr, "book:", err)
		return 1
	}
	_, absent := validation.Data(*root)
	b := assemble(recorded, table, absent == nil)
	for _, w := range b.wrong {
		fmt.Fprintln(stderr, "book:", w)
	}
	if len(b.wrong) > 0 && !*accept {
		fmt.Fprintf(stderr, "book: %d wrong, nothing written; make validate ACCEPT=-accept takes it as it is\n", len(b.wrong))
		return 1
	}
	misses := b.misses()
	for _, id := range b.absent {
		fmt.Fprintf(stdout, "not checked, real data is absent: %s\n", id)
	}
	fmt.Fprintf(stdout, "%d targets: %d agree, %d named misses, %d not checked\n", len(b.rows)+len(b.absent), len(b.rows)-len(misses), len(misses), len(b.absent))
	if *check {
		return 0
	}
	if len(b.absent) > 0 {
		fmt.Fprintln(stderr, "book: nothing is written, for that every row has to be checked, and the folder of real data is not there; set HEADROOM_DATA")
		return 0
	}
	for name, content := range map[string][]byte{"docs/validation.md": b.markdown(), "validation/accepted.tsv": b.table()} {
		if err := write(filepath.Join(*root, name), content); err != nil {
			fmt.Fprintln(stderr, "book:", err)
			return 1
		}
	}
	png, err := b.chart()
	if err == nil {
		err = write(filepath.Join(*root, "docs/images/validation.png"), png)
	}
	if err != nil {
		fmt.Fprintln(stderr, "book:", err)
		return 1
	}
	return 0
}

// write replaces a file whole or not at all.
func write(name string, content []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, content) {
		return nil
	}
	tmp := name + ".new"
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

// readRows reads every row that the tests wrote, by id.
func readRows(dir fs.FS) ([]validation.Row, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	byID := map[string]validation.Row{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		content, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(content))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			r, err := validation.Decode(lines.Bytes())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name(), err)
			}
			if had, again := byID[r.ID]; again && (had.Simulated != r.Simulated || had.Low != r.Low || had.High != r.High) {
				return nil, fmt.Errorf("%s is compared twice: %g and %g", r.ID, had.Simulated, r.Simulated)
			}
			byID[r.ID] = r
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	rows := make([]validation.Row, 0, len(byID))
	for _, r := range byID {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b validation.Row) int { return strings.Compare(a.ID, b.ID) })
	return rows, nil
}
