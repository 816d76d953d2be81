package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

// Bundle is all that a worker needs to know of a study: the scenario as it is written, what is laid over it, and the
// files that it names.
type Bundle struct {
	Name     string                  `json:"name"` // of the scenario file
	Text     []byte                  `json:"text"`
	Set      []string                `json:"set"`
	Variant  string                  `json:"variant"`
	Seed     *uint64                 `json:"seed"`
	Catalogs []scenarios.CatalogFile `json:"catalogs"`
	Files    map[string][]byte       `json:"-"`
	Names    []string                `json:"files"`

	Model   string        `json:"model"`   // version of the model that the study is made with
	Columns string        `json:"columns"` // mark of a row's columns
	Lease   time.Duration `json:"lease"`
}

// headName is the object that holds a bundle without its files.
const headName = "study"

func (l *link) putBundle(ctx context.Context, n names, b *Bundle, replicas int) error {
	store, err := l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: n.bundle(), Replicas: replicas})
	if err != nil {
		return err
	}
	for _, name := range b.Names {
		if _, err := store.PutBytes(ctx, "file "+name, b.Files[name]); err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
	}
	head, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = store.PutBytes(ctx, headName, head) // last: who sees it can have the files
	return err
}

func (l *link) getBundle(ctx context.Context, n names) (*Bundle, error) {
	store, err := l.js.ObjectStore(ctx, n.bundle())
	if err != nil {
		return nil, err
	}
	head, err := store.GetBytes(ctx, headName)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Files: map[string][]byte{}}
	if err := json.Unmarshal(head, b); err != nil {
		return nil, err
	}
	for _, name := range b.Names {
		if b.Files[name], err = store.GetBytes(ctx, "file "+name); err != nil {
			return nil, fmt.Errorf("file %s: %w", name, err)
		}
	}
	return b, nil
}

// Base is the scenario that a worker varies. It is an error for a worker of another version to make runs of a study:
// they would stand under the ids of runs that they are not.
func (b *Bundle) Base() (*sweep.Base, error) {
	if b.Model != sim.ModelVersion || b.Columns != sweep.ColumnsMark() {
		return nil, fmt.Errorf("this worker has model %s (rows %s) and the study is made with %s (rows %s): use the same release", sim.ModelVersion, sweep.ColumnsMark(), b.Model, b.Columns)
	}
	source, err := scenarios.Parse(b.Name, b.Text, b.fs())
	if err != nil {
		return nil, err
	}
	return sweep.NewBase(source, scenarios.Options{Set: b.Set, Variant: b.Variant, Seed: b.Seed, Catalogs: b.Catalogs}), nil
}

// fs holds the files under the names that the scenario has for them.
func (b *Bundle) fs() fs.FS { return memory(b.Files) }

// memory is files in memory, by name.
type memory map[string][]byte

// Open opens a file.
func (m memory) Open(name string) (fs.File, error) {
	data, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &memoryFile{bytes.NewReader(data), name}, nil
}

type memoryFile struct {
	*bytes.Reader
	name string
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Name() string               { return f.name }
func (f *memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f *memoryFile) ModTime() time.Time         { return time.Time{} }
func (f *memoryFile) IsDir() bool                { return false }
func (f *memoryFile) Sys() any                   { return nil }
