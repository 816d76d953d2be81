//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package sweep

// lockFile takes nothing where there are no such locks: two processes may then make the same run, with the same result.
func lockFile(string) (release func(), ok bool, err error) { return func() {}, true, nil }
