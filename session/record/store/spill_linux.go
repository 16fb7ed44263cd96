package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamedFile creates a file in the temporary directory that never has a name
// there (open(2), O_TMPFILE), or loses it at once where the file system cannot
// do that.
func unnamedFile() (*os.File, error) {
	dir := os.TempDir()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), dir+" (no name)"), nil
	}
	return removedFile()
}

// anonymousFile creates a file in memory.
func anonymousFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("mcptea", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "memfd:mcptea"), nil
}
