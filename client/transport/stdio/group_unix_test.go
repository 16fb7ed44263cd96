//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// A server leads a session of its own: it has no controlling terminal, whose screen it could write to
// and whose keys could stop it.
func TestGroup_ServerLeadsItsSession(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), behaviour+"=leaves-child")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var g group
	g.prepare(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.started(cmd.Process)
	defer func() {
		g.kill()
		_ = in.Close()
		_ = cmd.Wait()
		g.ended()
	}()
	if _, err := out.Read(make([]byte, 16)); err != nil { // it runs, and its child too
		t.Fatal(err)
	}
	if session, err := unix.Getsid(cmd.Process.Pid); err != nil || session != cmd.Process.Pid {
		t.Errorf("process %d is in session %d: %v", cmd.Process.Pid, session, err)
	}
	if own, _ := unix.Getsid(0); own == cmd.Process.Pid {
		t.Error("the session is that of the test")
	}
}
