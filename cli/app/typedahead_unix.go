//go:build unix

package app

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// dropInput drops the pending input of a terminal, and reports whether more arrived within a pause. It drops
// nothing from other files.
func dropInput(in *os.File, pause time.Duration) (more bool) {
	conn, err := in.SyscallConn()
	if err != nil {
		return false
	}
	_ = conn.Control(func(fd uintptr) { // fails only for a closed file, which has no input to drop
		if flushInput(int(fd)) != nil {
			return
		}
		// A line that is not ended yet does not make a terminal readable: it is dropped all the same.
		waits := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor fits
		n, err := unix.Poll(waits, int(pause.Milliseconds()))
		more = (err == nil && n > 0 || err == unix.EINTR) && waits[0].Revents&(unix.POLLHUP|unix.POLLERR) == 0
		_ = flushInput(int(fd))
	})
	return more
}
