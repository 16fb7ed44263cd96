package stdio

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the exit of a child with the poller of the runtime, if the kernel has file descriptors of
// processes. Waiting for the child itself would block a thread, whose processor the scheduler gives to other
// goroutines only after 10 ms.
func awaitExit(pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "process")
	defer func() { _ = f.Close() }()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) (exited bool) {
		var child unix.Siginfo
		err := unix.Waitid(unix.P_PIDFD, int(fd), &child, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return err == nil && child.Signo != 0 || err != nil && err != unix.EAGAIN && err != unix.EINTR
	})
}

// IsStopped reports whether a process is stopped by a signal, such as SIGSTOP or
// SIGTTIN (state T in /proc/PID/stat).
func IsStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The name before the state is in parentheses and may contain any byte.
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && len(stat) > i+2 && stat[i+2] == 'T'
}
