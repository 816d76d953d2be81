package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// output is a folder being written. Files gather in a hidden folder inside it, on the same disk, and are moved to
// their places by commit, all of them or none; a run that fails or is interrupted leaves the folder as it was.
//
// The hidden folder holds a lock for as long as its process lives. One whose process was killed is cleared away by
// the next that writes there: if it had begun to move its files, the rest of them are moved first.
type output struct {
	dir, staging string
	// manifest is the name of the list of what was written, with checksums, in the form that sha256sum -c reads; "" for
	// none. What an earlier list names, and this one does not, is removed if it is still as it was written.
	manifest string

	made []string // folders that were not there before, the outermost first
	lock *os.File

	mu    sync.Mutex
	files map[string]string // name to checksum
}

// What is in the hidden folder.
const (
	stagingPrefix = ".headroom-"
	lockName      = "lock"
	commitName    = "commit" // there once files are being moved; lists them
	staleName     = "stale"  // lists those of an earlier run that go
	newName       = "new"
	oldName       = "old"
)

// openOutput makes the folder ready. Call discard in any case.
func openOutput(dir string) (*output, error) {
	o := &output{dir: dir, made: missing(dir), files: map[string]string{}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		o.discard()
		return nil, outputError(dir, err)
	}
	recoverOutput(dir)
	err := o.stage()
	if err != nil {
		o.discard()
		return nil, outputError(dir, err)
	}
	return o, nil
}

// missing lists dir and the folders above it that are not there, the outermost first.
func missing(dir string) []string {
	var out []string
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			slices.Reverse(out)
			return out
		}
		out = append(out, dir)
	}
}

// stage makes the hidden folder and takes its lock. Another process may take it, still empty, for one that was left.
func (o *output) stage() (err error) {
	for tries := 0; ; tries++ {
		if o.staging, err = os.MkdirTemp(o.dir, stagingPrefix); err != nil {
			return err
		}
		if o.lock, err = os.Create(filepath.Join(o.staging, lockName)); err == nil {
			break
		}
		if tries > 3 || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := tryLock(o.lock); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return os.Mkdir(filepath.Join(o.staging, newName), 0o755)
}

// recoverOutput clears away what killed processes left in a folder. What cannot be told or cleared is left alone.
func recoverOutput(dir string) {
	left, _ := filepath.Glob(filepath.Join(globSafe(dir), stagingPrefix+"*"))
	for _, staging := range left {
		lock, err := os.OpenFile(filepath.Join(staging, lockName), os.O_RDWR, 0)
		if err != nil {
			if digits := strings.TrimPrefix(filepath.Base(staging), stagingPrefix); strings.Trim(digits, "0123456789") == "" {
				_ = os.Remove(staging) // killed before it had its lock, or after; not ours where there is anything in it
			}
			continue
		}
		if tryLock(lock) == nil {
			finish(dir, staging)
			clearStaging(staging)
		}
		_ = lock.Close()
	}
}

// finish moves what a killed process was moving.
func finish(dir, staging string) {
	names, err := os.ReadFile(filepath.Join(staging, commitName))
	if err != nil {
		return
	}
	stale, _ := os.ReadFile(filepath.Join(staging, staleName))
	for _, name := range strings.Split(string(stale), "\n") {
		if filepath.IsLocal(name) {
			_ = install(filepath.Join(dir, name), filepath.Join(staging, oldName, name))
			_ = os.Remove(filepath.Dir(filepath.Join(dir, name))) // where it is left empty
		}
	}
	for _, name := range strings.Split(string(names), "\n") {
		if filepath.IsLocal(name) {
			_ = install(filepath.Join(staging, newName, name), filepath.Join(dir, name))
		}
	}
}

// clearStaging removes a hidden folder, its lock last: without the lock nobody would know what was left of it for ours.
func clearStaging(staging string) {
	for _, name := range []string{commitName, staleName, newName, oldName, lockName, ""} {
		_ = os.RemoveAll(filepath.Join(staging, name))
	}
}

// globSafe keeps a folder's own name from being read as a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// outputError: a folder that cannot be written is a wrong flag, not a failed run.
func outputError(dir string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return usageError{text: "--out " + dir + ": " + err.Error()}
}

// check says, before any work is done, what stands where files are to be written and can't be replaced.
func (o *output) check(names []string) error {
	for _, name := range names {
		if info, err := os.Stat(o.path(name)); err == nil && info.IsDir() {
			return usageError{text: fmt.Sprintf("--out %s: %s is a folder there, and a file of that name is to be written", o.dir, name)}
		}
		for up := path.Dir(name); up != "."; up = path.Dir(up) {
			if info, err := os.Stat(o.path(up)); err == nil && !info.IsDir() {
				return usageError{text: fmt.Sprintf("--out %s: %s is a file there, and a folder of that name is to be made", o.dir, up)}
			}
		}
	}
	return nil
}

// path is where a file of the folder lies; name is slash-separated.
func (o *output) path(name string) string { return filepath.Join(o.dir, filepath.FromSlash(name)) }

// write stages one file; name is slash-separated. It may be called by several workers.
func (o *output) write(name string, fill func(io.Writer) error) (err error) {
	to := filepath.Join(o.staging, newName, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	if err = errors.Join(fill(w), w.Flush(), f.Close()); err != nil {
		return err
	}
	o.mu.Lock()
	o.files[name] = hex.EncodeToString(sum.Sum(nil))
	o.mu.Unlock()
	return nil
}

// commit moves every staged file to its place, replacing the one that stands there and no other, and removes what an
// earlier run wrote and this one did not. When one cannot be moved, those that were go back.
func (o *output) commit() (err error) {
	names := sortedNames(o.files)
	stale := o.stale()
	if o.manifest != "" {
		if err := o.write(o.manifest, func(w io.Writer) error { return writeSums(w, names, o.files) }); err != nil {
			return err
		}
		names = append(names, o.manifest)
	}
	if err := o.check(names); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.staging, staleName), []byte(strings.Join(stale, "\n")), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.staging, commitName), []byte(strings.Join(names, "\n")), 0o644); err != nil {
		return err
	}
	var undo []func()
	move := func(from, to string) {
		if err == nil {
			if err = install(from, to); err == nil {
				undo = append(undo, func() { _ = os.Rename(to, from) })
			}
		}
	}
	for _, name := range append(slices.Clone(stale), names...) {
		if _, e := os.Lstat(o.path(name)); e == nil {
			move(o.path(name), filepath.Join(o.staging, oldName, filepath.FromSlash(name)))
		}
	}
	for _, name := range names {
		move(filepath.Join(o.staging, newName, filepath.FromSlash(name)), o.path(name))
	}
	if err != nil {
		for _, back := range slices.Backward(undo) {
			back()
		}
		_ = os.Remove(filepath.Join(o.staging, commitName))
		return err
	}
	for _, name := range stale { // a folder that is left empty was made for them
		if dir := path.Dir(name); dir != "." {
			_ = os.Remove(o.path(dir))
		}
	}
	o.made = nil
	return nil
}

// install moves a file, and makes the folder that it goes to.
func install(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// stale lists what an earlier list of this kind names and this run does not write, as long as it is what was written
// then: what somebody changed since is theirs.
func (o *output) stale() []string {
	if o.manifest == "" {
		return nil
	}
	list, err := os.ReadFile(o.path(o.manifest))
	if err != nil {
		return nil
	}
	var out []string
	for line := range bytes.Lines(list) {
		sum, name, ok := strings.Cut(strings.TrimRight(string(line), "\n"), "  ")
		if _, ours := o.files[name]; !ok || ours || name == o.manifest || !filepath.IsLocal(name) {
			continue
		}
		if data, err := os.ReadFile(o.path(name)); err == nil {
			if now := sha256.Sum256(data); hex.EncodeToString(now[:]) == sum {
				out = append(out, name)
			}
		}
	}
	return out
}

// writeSums writes checksums in the form of sha256sum.
func writeSums(w io.Writer, names []string, sums map[string]string) error {
	var err error
	for _, name := range names {
		_, e := fmt.Fprintf(w, "%s  %s\n", sums[name], name)
		err = errors.Join(err, e)
	}
	return err
}

func sortedNames(files map[string]string) []string {
	var out []string
	for name := range files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// discard removes what was not committed.
func (o *output) discard() {
	if o.staging != "" {
		clearStaging(o.staging)
	}
	if o.lock != nil {
		_ = o.lock.Close()
	}
	for _, dir := range slices.Backward(o.made) {
		_ = os.Remove(dir)
	}
}
