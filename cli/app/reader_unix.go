//go:build unix

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerInterval is the time in ms after which a watch checks whether the command is over.
const readerInterval = 500

// awaitReaderExit returns true when the last reader of a pipe has exited, and false when the
// command is over.
func awaitReaderExit(pipe *os.File, over <-chan struct{}) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	exited := false
	for !exited {
		select {
		case <-over:
			return false
		default:
		}
		unknown := false // poll cannot wait for this file
		err := conn.Control(func(fd uintptr) {
			// Without requested events poll waits for POLLERR (Linux) or POLLHUP (macOS).
			ready := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor fits
			n, err := unix.Poll(ready, readerInterval)
			exited = err == nil && n > 0 && ready[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
			unknown = !exited && (n > 0 || err != nil && err != unix.EINTR)
		})
		if err != nil || unknown {
			return false
		}
	}
	return true
}
