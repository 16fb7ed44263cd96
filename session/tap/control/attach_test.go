package control

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/session/intercept"
)

// TestAttached_LateReplies has a tap that does not reply, and one whose connection has
// ended: late replies do no harm.
func TestAttached_LateReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		a := &Attached{conn: ours, done: make(chan struct{}), commanding: make(chan struct{}, 1), newest: fromTap{State: &intercept.State{}}}
		go func() {
			lines := bufio.NewScanner(theirs)
			for lines.Scan() {
				continue
			}
		}()
		if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "ping"}}); err == nil || !strings.Contains(err.Error(), "does not respond") {
			t.Errorf("the error is %v", err)
		}
		_ = theirs.Close()
		synctest.Wait()
		if err := a.SetClock(1, true); err == nil {
			t.Error("a command is sent on a closed connection")
		}
		a.handleLine(fromTap{State: &intercept.State{}, Reply: 1}) // a late reply has no receiver
		a.handleLine(fromTap{State: &intercept.State{}, Reply: a.last})
		a.handleLine(fromTap{State: &intercept.State{}, Reply: a.last})
	})
}

// A reply to an earlier command, which came too late, does not count for the one that waits now.
func TestAttached_ReplyToAnEarlierCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		a := &Attached{conn: ours, done: make(chan struct{}), commanding: make(chan struct{}, 1), newest: fromTap{State: &intercept.State{}}}
		go func() {
			lines := bufio.NewScanner(theirs)
			for lines.Scan() {
				continue
			}
		}()
		if err := a.SetClock(1, true); err == nil {
			t.Fatal("a command without a reply has succeeded")
		}
		ended := make(chan error, 1)
		go func() { ended <- a.SetClock(2, true) }()
		synctest.Wait()
		a.handleLine(fromTap{State: &intercept.State{}, Reply: 1, Error: "there is no such frame"})
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("the reply to command 1 has ended command 2: %v", err)
		default:
		}
		a.handleLine(fromTap{State: &intercept.State{}, Reply: 2})
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
