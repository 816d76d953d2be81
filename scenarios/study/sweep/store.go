package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"headroom/sim"
)

// Store keeps finished runs in a folder, under their ids. Every process that makes runs appends them to a file of its
// own there, many at once, and syncs it before it calls them finished; it reads the files of all others. So nothing is
// ever changed in place, a process that is killed leaves at most an unfinished end of its file, and several processes,
// and several people, may use one store at once.
type Store struct {
	dir     string
	Damaged atomic.Int64 // runs that were asked for, were not whole, and are made again
	Other   atomic.Int64 // runs of other columns that are made again
	Garbled atomic.Int64 // files with parts that are no runs

	mu      sync.Mutex
	index   map[string]place
	lost    map[string]loss // runs that are in no file as they should be
	files   []*rowFile
	settled time.Time // change of the folder up to which its files are known
	claimed map[string]bool

	writing sync.Mutex
	own     *rowFile
	claims  *os.File
	full    func(rows int) error // tests: the error of a write after which so many rows were written
	written int
}

// place is where a row lies.
type place struct {
	file   *rowFile
	at     int64
	length int
}

type loss int

const (
	damaged loss = iota + 1
	ofOther
)

// OpenStore opens a store, and makes its folder where there is none.
func OpenStore(dir string) (*Store, error) {
	for _, d := range []string{"runs", "studies"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	s := &Store{dir: dir, index: map[string]place{}, lost: map[string]loss{}, claimed: map[string]bool{}}
	var err error
	if s.claims, err = os.OpenFile(filepath.Join(dir, "claims"), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, err
	}
	return s, s.refresh()
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// Get returns a finished run; ok is false where there is none.
func (s *Store) Get(id string) (row Row, ok bool, err error) {
	at, ok, err := s.locate(id)
	if err != nil || !ok {
		return Row{}, false, err
	}
	data, err := at.file.row(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Row{}, false, err
	}
	row, other, bad := decodeRow(data)
	if bad == nil && row.ID == id && !other {
		return row, true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[id] == at { // told once
		delete(s.index, id)
		s.Damaged.Add(1)
	}
	return Row{}, false, nil
}

// locate finds a run in the files as they are now.
func (s *Store) locate(id string) (at place, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok = s.index[id]; ok {
		return at, true, nil
	}
	if err := s.refresh(); err != nil {
		return place{}, false, err
	}
	if at, ok = s.index[id]; ok {
		return at, true, nil
	}
	switch s.lost[id] {
	case damaged:
		s.Damaged.Add(1)
	case ofOther:
		s.Other.Add(1)
	}
	delete(s.lost, id)
	return place{}, false, nil
}

// Put keeps finished runs: once it returns, those it counts are on the disk. Putting a run twice is harmless.
func (s *Store) Put(rows ...*Row) (kept int, err error) {
	for _, r := range rows {
		if len(r.ID) < 8 || strings.ContainsAny(r.ID, `/\."`) || len(r.Values) != len(Columns()) {
			return 0, fmt.Errorf("run %q of %d values cannot be kept", r.ID, len(r.Values))
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err = s.add(rows); err == nil {
		return len(rows), nil
	}
	if len(rows) > 1 { // as many as there is room for
		for err = nil; kept < len(rows); kept++ {
			if err = s.add(rows[kept : kept+1]); err != nil {
				break
			}
		}
	}
	return kept, err
}

// add appends rows to this process's file, all of them or none.
func (s *Store) add(rows []*Row) error {
	if s.own == nil {
		f, err := newRowFile(filepath.Join(s.dir, "runs"))
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.own, s.files = f, append(s.files, f)
		s.mu.Unlock()
	}
	var data []byte
	places := make([]place, len(rows))
	for i, r := range rows {
		text := r.encode()
		places[i] = place{s.own, s.own.read + int64(len(data)), len(text)}
		data = append(data, text...)
	}
	var err error
	if s.full != nil {
		err = s.full(s.written + len(rows))
	}
	if err == nil {
		err = s.own.append(data)
	}
	if err != nil {
		return err
	}
	s.written += len(rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range rows {
		s.index[r.ID] = places[i]
	}
	return nil
}

// Claim says that this process makes a run, so that another on the same store takes another one. ok is false while
// somebody makes it. Claims end with the process that holds them, however it ends.
func (s *Store) Claim(id string) (release func(), ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claimed[id] {
		return nil, false, nil
	}
	end, ok, err := s.lockRun(id)
	if !ok || err != nil {
		return nil, false, err
	}
	s.claimed[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.claimed, id)
		end()
	}, true, nil
}

// studyNote is what the store remembers of a study, to say when a finished one has to be made again.
type studyNote struct {
	Model   string `json:"model"`
	Columns string `json:"columns"`
}

// Begin notes that a study is made with this version and returns the model that it was last made with, "" for none.
func (s *Store) Begin(study string) (last string, err error) {
	path := filepath.Join(s.dir, "studies", study+".json")
	var note studyNote
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &note) // an unreadable note says nothing
	}
	now := studyNote{sim.ModelVersion, columnsMark()}
	if note == now {
		return note.Model, nil
	}
	data, err := json.Marshal(now)
	if err != nil {
		return "", err
	}
	return note.Model, writeWhole(path, append(data, '\n'))
}

// writeWhole writes a file beside its place, syncs it and moves it there.
func writeWhole(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_ = f.Chmod(0o644)
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// importAtOnce is how many runs are copied before they are synced.
const importAtOnce = 256

// Import copies the runs of another store that this one lacks, and returns how many.
func (s *Store) Import(from *Store) (copied int, err error) {
	from.mu.Lock()
	ids := slices.Sorted(maps.Keys(from.index))
	from.mu.Unlock()
	var rows []*Row
	flush := func() error {
		n, err := s.Put(rows...)
		copied += n
		rows = rows[:0]
		return err
	}
	for _, id := range ids {
		if _, ok, err := s.locate(id); err != nil || ok {
			if err != nil {
				return copied, err
			}
			continue
		}
		row, ok, err := from.Get(id)
		if err != nil {
			return copied, err
		}
		if !ok {
			continue
		}
		if rows = append(rows, &row); len(rows) == importAtOnce {
			if err := flush(); err != nil {
				return copied, err
			}
		}
	}
	if len(rows) == 0 {
		return copied, nil
	}
	return copied, flush()
}
