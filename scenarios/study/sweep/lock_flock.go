//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sweep

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a lock that the system gives back when the process ends.
func lockFile(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, false, nil
		}
		// A file system without locks: runs may then be made twice, with the same result.
		return func() {}, true, nil
	}
	return func() {
		_ = os.Remove(path)
		_ = f.Close()
	}, true, nil
}
