package stdio

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A process is stopped from SIGSTOP to SIGCONT.
func TestIsStopped(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), behaviour+"=ignores-eof")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	for _, tt := range []struct {
		signal syscall.Signal
		report int // of the system, once the signal has its effect
		want   bool
	}{{syscall.SIGSTOP, syscall.WUNTRACED, true}, {syscall.SIGCONT, syscall.WCONTINUED, false}} {
		if err := cmd.Process.Signal(tt.signal); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, nil, tt.report, nil); err != nil {
			t.Fatal(err)
		}
		if got := IsStopped(pid); got != tt.want {
			t.Errorf("after %v it is stopped: %t", tt.signal, got)
		}
	}
	_ = cmd.Process.Kill()
	_ = stdin.Close()
	_ = cmd.Wait() // it was killed
	if IsStopped(pid) {
		t.Error("a process that has ended is stopped")
	}
}
