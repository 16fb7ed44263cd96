package tap

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/session/intercept"
)

// TestAttached_ForgetsCommands has a tap that does not reply, and one whose connection has
// ended: nothing is left of the commands.
func TestAttached_ForgetsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		a := &Attached{conn: ours, done: make(chan struct{}), replies: map[int64]chan error{}}
		go func() {
			lines := bufio.NewScanner(theirs)
			for lines.Scan() {
				continue
			}
		}()
		if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "ping"}}); err == nil || !strings.Contains(err.Error(), "does not respond") {
			t.Errorf("the error is %v", err)
		}
		if n := len(a.replies); n != 0 {
			t.Errorf("%d replies are waited for after the timeout", n)
		}
		_ = theirs.Close()
		synctest.Wait()
		if err := a.SetClock(1, true); err == nil {
			t.Error("a command is sent on a closed connection")
		}
		if n := len(a.replies); n != 0 {
			t.Errorf("%d replies are waited for after a failed write", n)
		}
	})
}
