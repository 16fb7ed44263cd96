//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is the process group of the server: npx and uvx run the real server as
// a child of their own, and a signal must reach that one too.
type group struct{ pgid int }

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func (g *group) started(p *os.Process) { g.pgid = p.Pid }

// The names of what terminate and kill send.
const (
	terminateSignal = "SIGTERM"
	killSignal      = "SIGKILL"
)

// terminate asks the group to end.
func (g *group) terminate() {
	_ = syscall.Kill(-g.pgid, syscall.SIGTERM) // gone already is fine
}

func (g *group) kill() {
	_ = syscall.Kill(-g.pgid, syscall.SIGKILL)
}

// signalName names the signal that ended a process, empty when none did.
func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}
