package validation

import (
	"os"
	"path/filepath"
	"testing"
)

// DataDir returns the folder of real data: $HEADROOM_DATA, or shared/data beside the repository. Where it is not
// there the test is skipped aloud; under CI=true it fails, for there it must be.
func DataDir(tb testing.TB) string {
	tb.Helper()
	dir, err := Data(root(tb))
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("NO REAL DATA: %v; set HEADROOM_DATA", err)
		}
		tb.Skipf("SKIPPED, NO REAL DATA, nothing is compared with it: %v; set HEADROOM_DATA", err)
	}
	return dir
}

// Data is the folder of real data of a repository, and an error where it is not there.
func Data(repository string) (string, error) {
	dir := os.Getenv("HEADROOM_DATA")
	if dir == "" {
		dir = filepath.Join(repository, "..", "shared", "data")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		_, err = os.Stat(dir)
	}
	return dir, err
}

// DataFile opens a file of the folder of real data, by its path with slashes, and closes it when the test ends. A file
// that is missing from a folder that is there fails the test.
func DataFile(tb testing.TB, name string) *os.File {
	tb.Helper()
	f, err := os.Open(filepath.Join(DataDir(tb), filepath.FromSlash(name)))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

// root is the folder of go.mod above the package that is tested.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Fatal("no go.mod above the package")
		}
		dir = up
	}
}
