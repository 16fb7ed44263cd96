//go:build unix && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package app

import "golang.org/x/sys/unix"

// flushInput drops what waits in a terminal, as tcflush does.
func flushInput(fd int) error {
	const tciflush = 0
	return unix.IoctlSetInt(fd, unix.TCFLSH, tciflush)
}
