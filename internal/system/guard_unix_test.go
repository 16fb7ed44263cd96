//go:build unix

package system

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// When the end of mcptea is noticed by its pipe alone, the guard ends the process group of the server; a
// guard that was released leaves it alone, and both have ended then.
func TestGuard_EndsTheGroup(t *testing.T) {
	for _, released := range []bool{false, true} {
		server := exec.Command("sleep", "300")
		server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = server.Wait()
			close(ended)
		}()
		g := StartGuard(server.Process.Pid)
		if g == nil {
			t.Skip("there is no shell")
		}
		if released {
			g.Release()
			select {
			case <-ended:
				t.Error("the server has ended")
			default:
			}
			_ = server.Process.Kill()
			<-ended
			continue
		}
		_ = g.stdin.Close() // as the system does when mcptea is killed
		select {
		case <-ended:
			if s := server.ProcessState.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGTERM {
				t.Errorf("it was ended by %v", s.Signal())
			}
		case <-time.After(time.Minute):
			t.Error("the server of a client that was killed is still alive")
			_ = server.Process.Kill()
			<-ended
		}
		_ = g.cmd.Process.Kill() // it sleeps before the last signal
		_ = g.cmd.Wait()
	}
}
