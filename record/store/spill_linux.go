package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamedFile creates a temporary file that never has a name (open(2), O_TMPFILE). If the file
// system does not support that, the name is removed immediately.
func unnamedFile() (*os.File, error) {
	dir := os.TempDir()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), dir+" (no name)"), nil
	}
	return removedFile()
}
