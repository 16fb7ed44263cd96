package shell

import "os/exec"

func shellArguments(line string) []string { return []string{"cmd", "/C", line} }

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
