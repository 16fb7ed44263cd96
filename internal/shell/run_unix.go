//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

func shellArguments(line string) []string { return []string{"sh", "-c", line} }

// ownGroup starts the command in a process group of its own, away from the terminal's:
// ctrl+c does not reach it, and its children end with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
