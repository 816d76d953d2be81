package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"headroom/sim"
)

// Store keeps finished runs in a folder, one file each under the run's id. A file is whole or not there: it is
// written beside its place, synced and renamed. Several processes, and several people, may use one store at once.
type Store struct {
	dir     string
	Damaged atomic.Int64 // files that were no whole run and are made again
	Other   atomic.Int64 // runs of other columns that are made again

	written atomic.Int64
	full    func(n int) error // tests: the error of the nth write
}

// OpenStore opens a store, and makes its folder where there is none.
func OpenStore(dir string) (*Store, error) {
	for _, d := range []string{"runs", "busy", "studies"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	return &Store{dir: dir}, nil
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

func (s *Store) path(id string) string {
	return filepath.Join(s.dir, "runs", id[:2], id+".run")
}

// Get returns a finished run; ok is false where there is none.
func (s *Store) Get(id string) (row Row, ok bool, err error) {
	data, err := os.ReadFile(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Row{}, false, nil
	}
	if err != nil {
		return Row{}, false, err
	}
	row, other, err := decodeRow(data)
	switch {
	case err != nil || row.ID != id:
		s.Damaged.Add(1)
		return Row{}, false, nil
	case other:
		s.Other.Add(1)
		return Row{}, false, nil
	}
	return row, true, nil
}

// Put keeps a finished run. Putting it twice is harmless: both are the same bytes.
func (s *Store) Put(row *Row) error {
	if len(row.ID) < 8 || strings.ContainsAny(row.ID, `/\.`) || len(row.Values) != len(Columns()) {
		return fmt.Errorf("run %q of %d values cannot be kept", row.ID, len(row.Values))
	}
	if s.full != nil {
		if err := s.full(int(s.written.Add(1))); err != nil {
			return err
		}
	}
	return writeWhole(s.path(row.ID), row.encode())
}

// writeWhole writes a file beside its place, syncs it and moves it there.
func writeWhole(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err = os.CreateTemp(filepath.Dir(path), ".new-")
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Claim says that this process makes a run, so that another on the same store takes another one. ok is false while
// somebody else makes it. Claims end with the process that holds them, however it ends.
func (s *Store) Claim(id string) (release func(), ok bool, err error) {
	path := filepath.Join(s.dir, "busy", id)
	return lockFile(path)
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

// Import copies the runs of another store that this one lacks, and returns how many.
func (s *Store) Import(from *Store) (copied int, err error) {
	root := filepath.Join(from.dir, "runs")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".run") {
			return err
		}
		id := strings.TrimSuffix(d.Name(), ".run")
		if len(id) < 8 {
			return nil
		}
		if _, err := os.Stat(s.path(id)); err == nil {
			return nil
		}
		row, ok, err := from.Get(id)
		if err != nil || !ok {
			return err
		}
		copied++
		return s.Put(&row)
	})
	return copied, err
}
