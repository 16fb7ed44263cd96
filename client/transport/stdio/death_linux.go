package stdio

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// setParentDeathSignal has the kernel kill the child when the thread that
// started it ends, also if mcptea is killed (prctl PR_SET_PDEATHSIG). The thread
// must therefore live as long as the child; see Transport.run.
func setParentDeathSignal(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

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
