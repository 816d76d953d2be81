package workload

import (
	"os"
	"path/filepath"
	"testing"
)

// dataFile opens a file of real data, or skips the test when there is none.
func dataFile(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("HEADROOM_DATA")
	if dir == "" {
		dir = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("REAL DATA NOT THERE, nothing is checked against it: %v", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
