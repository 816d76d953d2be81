package workload

import (
	"os"
	"path/filepath"
	"testing"

	"headroom/validation"
)

// dataFile opens a file of real data, or skips the test when there is none.
func dataFile(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join(validation.DataDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}
