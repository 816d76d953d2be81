package sweep

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"headroom/sim"
)

// madeRow is a row of nothing but its id.
func madeRow(n int) *Row {
	values := make([]any, len(Columns()))
	values[columnIndex()["run.scenario"]], values[len(values)-1] = fmt.Sprint("row ", n), "[]"
	return &Row{ID: fmt.Sprintf("%032d", n), Values: values}
}

// storeOf opens a store whose one file, of a process that is gone, holds a text.
func storeOf(t testing.TB, text []byte) *Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "runs", rowFilePrefix+"x"+rowFileSuffix), text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file that ends anywhere has the runs that are whole in it and no others, and says of one that began what became of
// it, once.
func TestStoreCutAnywhere(t *testing.T) {
	one, two := madeRow(1).encode(), madeRow(2).encode()
	text := append(append([]byte(nil), one...), two...)
	head := bytes.IndexByte(two, '\n')
	for cut := 0; cut < len(text); cut += 1 + cut%97 {
		s := storeOf(t, text[:cut])
		for k, end := range []int{len(one), len(text)} {
			if _, ok, err := s.Get(madeRow(k + 1).ID); err != nil || ok != (cut >= end) {
				t.Fatalf("%d bytes: run %d found: %v, %v", cut, k+1, ok, err)
			}
			_, _, _ = s.Get(madeRow(k + 1).ID)
		}
		want := int64(0)
		if cut > len(one)+head || cut < len(one) && cut > head {
			want = 1
		}
		if s.Damaged.Load() != want {
			t.Fatalf("%d bytes: %d damaged runs, want %d", cut, s.Damaged.Load(), want)
		}
		if n, err := s.Put(madeRow(1), madeRow(2)); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		again, err := OpenStore(s.Dir())
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			if _, ok, err := again.Get(madeRow(k + 1).ID); err != nil || !ok {
				t.Fatalf("%d bytes: run %d is not found after it was made again", cut, k+1)
			}
		}
		if again.Damaged.Load() != 0 {
			t.Fatalf("%d bytes: what was made again counts as damaged", cut)
		}
	}
}

// Garbage, turned bits and files of others are no runs; what is whole around them is found.
func TestStoreGarbage(t *testing.T) {
	flipped := madeRow(2).encode()
	flipped[len(flipped)-20] ^= 1
	other := bytes.Replace(madeRow(3).encode(), []byte(sim.ModelVersion), []byte("1900.01-1"), 1)
	headless := madeRow(4).encode()
	headless = headless[bytes.IndexByte(headless, '\n')+1:]
	bodiless := madeRow(5).encode()
	bodiless = bodiless[:bytes.IndexByte(bodiless, '\n')+1]
	text := bytes.Join([][]byte{
		madeRow(0).encode(), []byte("\x00\xff garbage\n\n"), flipped, madeRow(1).encode(), other, headless, bodiless, madeRow(6).encode(), bytes.Repeat([]byte{0}, 5000),
	}, nil)
	s := storeOf(t, text)
	for _, name := range []string{"notes.txt", rowFilePrefix + "y.txt", newFilePrefix + "1"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), "runs", name), madeRow(7).encode(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.Dir(), "runs", rowFilePrefix+"z"+rowFileSuffix), 0o755); err != nil {
		t.Fatal(err)
	}
	for k, want := range []bool{true, true, false, false, false, false, true, false} {
		for range 2 {
			row, ok, err := s.Get(madeRow(k).ID)
			if err != nil || ok != want || ok && row.Values[columnIndex()["run.scenario"]] != fmt.Sprint("row ", k) {
				t.Errorf("run %d: %v %v", k, ok, err)
			}
		}
	}
	if s.Damaged.Load() != 2 || s.Other.Load() != 1 || s.Garbled.Load() != 1 {
		t.Errorf("damaged %d (the turned bit, the missing values), other %d, files %d", s.Damaged.Load(), s.Other.Load(), s.Garbled.Load())
	}
}

// Two stores on one folder see what the other has finished, and neither takes what the other has begun.
func TestStoresShare(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		r := madeRow(n)
		release, ok, err := a.Claim(r.ID)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for _, s := range []*Store{a, b} {
			if _, ok, _ := s.Claim(r.ID); ok {
				t.Fatal("claimed twice")
			}
		}
		if _, ok, _ := b.Get(r.ID); ok {
			t.Fatal("found before it was made")
		}
		if kept, err := a.Put(r); kept != 1 || err != nil {
			t.Fatal(kept, err)
		}
		release()
		if _, ok, err := b.Get(r.ID); !ok || err != nil {
			t.Fatalf("run %d is not seen: %v", n, err)
		}
		end, ok, err := b.Claim(r.ID)
		if !ok || err != nil {
			t.Fatal("a claim outlives its end", err)
		}
		end()
		a, b = b, a
	}
}
