//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package app

import "golang.org/x/sys/unix"

// flushInput drops what waits in a terminal, as tcflush(TCIFLUSH) does.
func flushInput(fd int) error {
	const fread = 1
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fread)
}
