package stdio

import (
	"bytes"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// setParentDeathSignal has the kernel kill the child when the thread that
// started it ends, also if mcptea is killed (prctl PR_SET_PDEATHSIG). The thread
// must therefore live as long as the child; see Transport.run.
func setParentDeathSignal(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitExit waits for the exit of a child by the poller of the runtime, where the kernel has
// file descriptors of processes. To wait for the child itself blocks a thread, whose
// processor the scheduler gives to other goroutines only after 10 ms.
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
