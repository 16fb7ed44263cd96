//go:build unix

package shell

import (
	"os/exec"
	"syscall"

	"mcptea/internal/system"
)

func shellArguments(line string) []string { return []string{"sh", "-c", line} }

// group is the process group of a command, away from the terminal's: ctrl+c does not reach it. Its processes end with
// the command, and with mcptea.
type group struct{ guard *system.Guard }

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	system.EndWithParent(cmd.SysProcAttr)
}

func (g *group) started(cmd *exec.Cmd) { g.guard = system.StartGuard(cmd.Process.Pid) }

func (g *group) kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func (g *group) ended() { g.guard.Release() }
