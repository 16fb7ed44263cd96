//go:build unix

package relay

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// roomIn returns a function that reports whether a file accepts maxAtOnce bytes without blocking. It
// returns false for a writer that is not a file.
func roomIn(dst io.Writer) func() bool {
	file, ok := dst.(syscall.Conn)
	if !ok {
		return func() bool { return false }
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return func() bool { return false }
	}
	room := false
	poll := make([]unix.PollFd, 1)
	check := func(fd uintptr) {
		poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}
		n, err := unix.Poll(poll, 0)
		room = err == nil && n == 1 && poll[0].Revents == unix.POLLOUT
	}
	return func() bool { return conn.Control(check) == nil && room }
}
