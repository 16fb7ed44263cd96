package client

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// exited is a transport to a process that has exited before the first frame was sent: Send returns that.
type exited struct {
	*scripted
	endsFirst bool // Done is closed before Send returns
}

func (e exited) Send(context.Context, transport.Outgoing) error {
	exit := &stdio.ExitError{Code: 3, After: time.Millisecond}
	if e.endsFirst {
		e.end(exit)
	}
	return exit
}

// A process that exits before or while it gets server/discover is started again, and gets initialize first, at whatever
// moment its exit is noticed.
func TestConnect_ExitWhileProbing(t *testing.T) {
	program, err := os.Executable() // which can be found, and is not started
	if err != nil {
		t.Fatal(err)
	}
	for _, endsFirst := range []bool{false, true} {
		first, next := exited{script(nil), endsFirst}, script(friendly(nil))
		c := NewOver(first, &checks{}, Config{Name: "test", Version: "0"})
		c.target = Target{Argv: []string{program}}
		c.redial = func() transport.Transport { return next }
		if err := c.Connect(t.Context()); err != nil {
			t.Errorf("the end comes first: %v: %v", endsFirst, err)
		}
		if sent := next.log(); !strings.Contains(strings.SplitN(sent, "\n", 2)[0], `"initialize"`) {
			t.Errorf("the next process gets %s", sent)
		}
		_ = c.Close(context.Background())
	}
}

// A request to a process that has exited got no response, whether its end is known or not.
func TestCall_AfterExit(t *testing.T) {
	exit := &stdio.ExitError{Code: 3}
	s := script(friendly(nil))
	c := dial(t, s)
	c.state.t = exited{s, false}
	var closed *ClosedError
	if _, err := c.Call(t.Context(), "echo", nil); !errors.As(err, &closed) || !errors.As(closed.Err, &exit) || exit.Code != 3 {
		t.Errorf("%v", err)
	}
}
