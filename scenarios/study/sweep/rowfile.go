package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"headroom/sim"
)

// rowFile is a file of finished runs: two lines each, what it is and its values. One process appends to it and holds a
// lock on it while it lives; others read what is whole.
type rowFile struct {
	path string
	read int64 // bytes whose rows are in the index; of this process's own file, its length
	own  bool
	done bool // nobody will append to it any more

	open sync.Mutex
	f    *os.File
}

// Names in the folder of runs.
const (
	rowFilePrefix = "rows-"
	rowFileSuffix = ".jsonl"
	newFilePrefix = ".new-"
)

// settleTime is for how long after a change of a folder another one may carry the same time.
const settleTime = 100 * time.Millisecond

// longestLine bounds a line of a file of rows; a longer one is no row. Rows of large halls take some 100 kB.
const longestLine = 64 << 20

// newRowFile makes a file of this process, on the disk before anything is appended to it.
func newRowFile(dir string) (*rowFile, error) {
	f, err := os.CreateTemp(dir, newFilePrefix)
	if err != nil {
		return nil, err
	}
	_ = f.Chmod(0o644) // others who share the store read it
	holdFile(f)
	name := rowFilePrefix + strings.TrimPrefix(filepath.Base(f.Name()), newFilePrefix) + rowFileSuffix
	path := filepath.Join(dir, name)
	if err := os.Rename(f.Name(), path); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // where folders cannot be synced there is nothing to do about it
		_ = d.Close()
	}
	return &rowFile{path: path, own: true, f: f}, nil
}

// append adds whole rows and syncs them; when that fails the file is as it was.
func (r *rowFile) append(data []byte) error {
	_, err := r.f.WriteAt(data, r.read)
	if err == nil {
		err = r.f.Sync()
	}
	if err != nil {
		_ = r.f.Truncate(r.read) // what is left of it is no whole row, and is written over
		var where *fs.PathError
		if errors.As(err, &where) {
			where.Path = r.path // it was made under another name
		}
		return err
	}
	r.read += int64(len(data))
	return nil
}

// row reads one row.
func (r *rowFile) row(at place) ([]byte, error) {
	f, err := r.handle()
	if err != nil {
		return nil, err
	}
	data := make([]byte, at.length)
	if _, err := f.ReadAt(data, at.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// handle opens the file once.
func (r *rowFile) handle() (f *os.File, err error) {
	r.open.Lock()
	defer r.open.Unlock()
	if r.f == nil {
		r.f, err = os.Open(r.path)
	}
	return r.f, err
}

// refresh reads what other processes have added; the caller holds the lock, or nobody has the store yet.
func (s *Store) refresh() error {
	dir := filepath.Join(s.dir, "runs")
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if changed := info.ModTime(); !changed.Equal(s.settled) || time.Since(changed) < settleTime {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := e.Name(); e.Type().IsRegular() && strings.HasPrefix(name, rowFilePrefix) && strings.HasSuffix(name, rowFileSuffix) {
				s.know(filepath.Join(dir, name))
			}
		}
		s.settled = changed
	}
	for _, f := range s.files {
		if !f.own && !f.done {
			if err := s.scan(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) know(path string) {
	for _, f := range s.files {
		if f.path == path {
			return
		}
	}
	s.files = append(s.files, &rowFile{path: path})
}

// scan indexes what a file has more than before. What its writer has written and not yet synced is synced here: whoever
// finds a run may rely on it.
func (s *Store) scan(r *rowFile) error {
	f, err := r.handle()
	if errors.Is(err, fs.ErrNotExist) {
		r.done = true
		return nil
	}
	if err != nil {
		return err
	}
	ended := !fileHeld(f) // asked before it is read: what comes after would be missed
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > r.read {
		if !ended {
			_ = f.Sync() // where that is refused the writer's own sync is all there is
		}
		garbled, err := s.scanRows(r, f, ended)
		if err != nil {
			return err
		}
		if garbled {
			s.Garbled.Add(1)
		}
	}
	r.done = ended
	return nil
}

// scanRows indexes rows from where the last look ended. garbled says that something among them is no row.
func (s *Store) scanRows(r *rowFile, f io.ReaderAt, ended bool) (garbled bool, err error) {
	in := lineReader{r: bufio.NewReaderSize(io.NewSectionReader(f, r.read, 1<<62), 1<<16)}
	line, ok, err := in.next()
	for ok && err == nil {
		first, at := append([]byte(nil), line...), in.begun
		var head entryHead
		isHead := json.Unmarshal(first, &head) == nil && len(head.ID) >= 8
		line, ok, err = in.next()
		switch {
		case !isHead:
			garbled = true
		case ok && bytes.HasPrefix(line, []byte("[")):
			length := int(in.at - at)
			if head.Model == sim.ModelVersion && head.Columns == columnsMark() {
				s.index[head.ID] = place{r, r.read + at, length}
			} else {
				s.lost[head.ID] = ofOther
			}
			line, ok, err = in.next()
		case ok || ended: // its values are missing; at the end of a file that grows they may still come
			s.lost[head.ID] = damaged
			garbled = garbled || ok
		default:
			r.read += at
			return garbled, err
		}
	}
	if ended {
		r.read += in.at + in.rest
	} else {
		r.read += in.at
	}
	return garbled, err
}

// lineReader reads whole lines and counts bytes.
type lineReader struct {
	r     *bufio.Reader
	buf   []byte
	begun int64 // where the last line began
	at    int64 // where it ended
	rest  int64 // bytes after it that are no whole line
}

// next returns a line without its end; ok is false at the end of the file. A line that is too long is cut short.
func (l *lineReader) next() (line []byte, ok bool, err error) {
	l.buf, l.rest = l.buf[:0], 0
	for {
		part, err := l.r.ReadSlice('\n')
		l.rest += int64(len(part))
		if len(l.buf) < longestLine {
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == nil:
			l.begun, l.at, l.rest = l.at, l.at+l.rest, 0
			return bytes.TrimSuffix(l.buf, []byte("\n")), true, nil
		case errors.Is(err, io.EOF):
			return nil, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
