//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is really full: the store lies on a file system of 1 MB. The study ends and says why, keeps what it had
// room for, and goes on from there when there is room again.
func TestFullFileSystem(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("headroom-test", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED, NO FILE SYSTEM CAN BE MOUNTED HERE: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 900<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := append([]string{"study", "--store", filepath.Join(disk, "store"), "-j", "2", "-o", filepath.Join(dir, "out")}, smallStudy...)
	code, _, stderr := call(context.Background(), nil, args...)
	if code != exitFailed || !strings.Contains(stderr, "no space left on device") || !strings.Contains(stderr, "goes on from there") {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	kept := stored(t, filepath.Join(disk, "store"))
	if len(kept) == 0 || len(kept) == 24 {
		t.Fatalf("%d runs were kept", len(kept))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = call(context.Background(), nil, args...)
	if code != exitDone || strings.Contains(stderr, "not whole") {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	t.Logf("%d of 24 runs were kept on the full disk", len(kept))
	for id, run := range stored(t, filepath.Join(disk, "store")) {
		if old, ok := kept[id]; ok && old != run {
			t.Errorf("the kept run %s was made again", id)
		}
	}
	alone := append([]string{"study", "-o", filepath.Join(dir, "alone"), "-q"}, smallStudy...)
	if code, _, stderr := call(context.Background(), nil, alone...); code != exitDone {
		t.Fatal(stderr)
	}
	c1, p1 := studyTables(t, filepath.Join(dir, "out"))
	c2, p2 := studyTables(t, filepath.Join(dir, "alone"))
	if !bytes.Equal(c1, c2) || !bytes.Equal(p1, p2) {
		t.Error("the tables differ")
	}
}
