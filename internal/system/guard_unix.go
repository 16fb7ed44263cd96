//go:build unix

package system

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// guardScript waits for a line on stdin. If stdin ends without one, mcptea was killed: the group $1 then gets
// SIGTERM and, two seconds later, SIGKILL.
const guardScript = `trap '' HUP INT QUIT TERM
read -r _ && exit 0
kill -s TERM -- "-$1" 2>/dev/null || exit 0
sleep 2
kill -s KILL -- "-$1" 2>/dev/null`

// A Guard is a small shell process that ends a process group when mcptea is killed without a chance to do so itself
// (SIGKILL, out of memory). The death signal of Linux reaches only the direct child, and other systems have none; see
// [EndWithParent]. A nil *Guard does nothing.
type Guard struct {
	cmd   *exec.Cmd
	stdin *os.File
}

// StartGuard starts a guard, or returns nil if there is no shell, as in a minimal container.
func StartGuard(pgid int) *Guard {
	const shell = "/bin/sh"
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	cmd := &exec.Cmd{
		Path: shell, Args: []string{shell, "-c", guardScript, "mcptea-guard", strconv.Itoa(pgid)},
		Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: "/", Stdin: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // signals to the terminal's group do not reach it
	}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil
	}
	return &Guard{cmd, ours}
}

// Release ends the guard and waits for its exit. Waiting from the start would block a thread, whose processor
// the Go scheduler gives to others only after 10 ms.
func (g *Guard) Release() {
	if g == nil {
		return
	}
	_, _ = g.stdin.WriteString("\n")
	_ = g.stdin.Close()
	_ = g.cmd.Wait()
}
