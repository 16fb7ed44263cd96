//go:build unix

package tokens

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return errLocked
	}
	return err
}

// isLoose reports permissions that let other users read or change a file.
func isLoose(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 }
