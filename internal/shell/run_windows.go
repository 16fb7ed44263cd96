package shell

import "os/exec"

func shellArguments(line string) []string { return []string{"cmd", "/C", line} }

// group is only the command: its children are not ended with it.
type group struct{}

func (g *group) prepare(*exec.Cmd)        {}
func (g *group) started(*exec.Cmd)        {}
func (g *group) kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
func (g *group) ended()                   {}
