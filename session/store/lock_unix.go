//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks a file until it is closed, and reports whether another process has it.
func tryLock(f *os.File, exclusive bool) (taken bool) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) == unix.EWOULDBLOCK
}
