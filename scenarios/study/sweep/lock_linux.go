package sweep

import (
	"errors"
	"hash/fnv"
	"os"
	"syscall"
)

// ofdSetLock is F_OFD_SETLK of fcntl(2): a lock that belongs to an open file, not to a process, and that the system
// gives back when the file is closed, however its process ends.
const ofdSetLock = 37

// lockRun locks the byte of the claims file whose place is the hash of a run's id: no file is made or removed for it.
func (s *Store) lockRun(id string) (end func(), ok bool, err error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	lock := func(kind int16) error {
		return syscall.FcntlFlock(s.claims.Fd(), ofdSetLock, &syscall.Flock_t{Type: kind, Start: int64(h.Sum64() >> 2), Len: 1})
	}
	switch err := lock(syscall.F_WRLCK); {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
		return nil, false, nil
	case err != nil: // a file system without locks: runs may then be made twice, with the same result
		return func() {}, true, nil
	}
	return func() { _ = lock(syscall.F_UNLCK) }, true, nil
}

// holdFile marks a file as one that its process still writes.
func holdFile(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// fileHeld says whether somebody still writes a file, or may do so: where there are no locks it cannot be told.
func fileHeld(f *os.File) bool {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		return true
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return false
}
