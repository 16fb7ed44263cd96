package system

import "syscall"

// EndWithParent makes the kernel kill a child when the thread that started it ends, even if mcptea is killed (prctl
// PR_SET_PDEATHSIG). The thread must live as long as the child: the caller locks it to its goroutine.
func EndWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
