package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// output is a folder being written. Files gather in a hidden folder inside it, on the same disk, and are moved to
// their places by commit; a run that fails or is interrupted leaves the folder as it was.
type output struct {
	dir, staging string
	made         bool // the folder was not there before

	mu    sync.Mutex
	files []string
}

// openOutput makes the folder ready. Call discard in any case.
func openOutput(dir string) (*output, error) {
	_, err := os.Stat(dir)
	o := &output{dir: dir, made: errors.Is(err, fs.ErrNotExist)}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, outputError(dir, err)
	}
	if o.staging, err = os.MkdirTemp(dir, ".headroom-"); err != nil {
		o.discard()
		return nil, outputError(dir, err)
	}
	return o, nil
}

// outputError: a folder that cannot be written is a wrong flag, not a failed run.
func outputError(dir string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return usageError{text: "--out " + dir + ": " + err.Error()}
}

// write stages one file; name is slash-separated. It may be called by several workers.
func (o *output) write(name string, fill func(io.Writer) error) (err error) {
	path := filepath.Join(o.staging, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = errors.Join(fill(w), w.Flush(), f.Close()); err != nil {
		return err
	}
	o.mu.Lock()
	o.files = append(o.files, name)
	o.mu.Unlock()
	return nil
}

// commit moves every staged file to its place, replacing the one that stands there and no other.
func (o *output) commit() error {
	slices.Sort(o.files)
	for _, name := range o.files {
		to := filepath.Join(o.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(o.staging, filepath.FromSlash(name)), to); err != nil {
			return err
		}
	}
	o.made = false
	return nil
}

// discard removes what was not committed.
func (o *output) discard() {
	if o.staging != "" {
		_ = os.RemoveAll(o.staging)
	}
	if o.made {
		_ = os.Remove(o.dir)
	}
}
