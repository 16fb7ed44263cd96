package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// midLine is the direction of a host that has written a part of a line only.
func midLine(dst *bytes.Buffer) *Direction {
	d := &Direction{
		Dst: dst, queue: store.NewQueue(), midLine: true,
		sink: &Lines{Max: MaxFrame, Take: func(time.Time, Line) {}},
	}
	return d
}

// A command that sends without end behind the begin of a line is refused, and gets an outcome.
func TestShared_MidLineBound(t *testing.T) {
	var to bytes.Buffer
	s, out := NewShared(nil), midLine(&to)
	s.Way = func(line []byte) bool { return out.Reply(line, transport.Attached) }
	outcomes := make(chan error, maxReplies+1)
	for i := range maxReplies + 1 {
		frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
		s.Start(frame, nil, func(_ []byte, err error) { outcomes <- err })
	}
	if err := <-outcomes; !errors.Is(err, errMidLine) {
		t.Errorf("the outcome is %v", err)
	}
	if len(out.replies) != maxReplies || len(s.pending) != maxReplies {
		t.Errorf("%d lines wait, %d requests are pending", len(out.replies), len(s.pending))
	}
	out.pass([]byte("the end\n"))
	if n := strings.Count(to.String(), "ping"); n != maxReplies {
		t.Errorf("%d were sent", n)
	}
}

// A response by hand that cannot wait is dropped, which the recording says.
func TestDirection_RepliesBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to bytes.Buffer
		out, g := midLine(&to), intercept.New(intercept.Options{})
		if err := g.SetBreakpoints([]intercept.Breakpoint{{Filter: "method:ping"}}); err != nil {
			t.Fatal(err)
		}
		for range maxReplies {
			out.Reply([]byte("x\n"), transport.Attached)
		}
		noted := ""
		in := midLine(&bytes.Buffer{})
		in.Back, in.lane, in.Dir, in.Note = out, g.NewLane(""), transport.In, func(text string) { noted = text }
		in.row = new(atomic.Int32)
		go in.queue.Run()
		go in.line(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"))
		synctest.Wait()
		if err := g.Decide(g.State().Held[0].ID, intercept.Decision{Action: intercept.Respond, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !strings.Contains(noted, "1000 messages wait") || len(out.replies) != maxReplies {
			t.Errorf("noted %q, %d wait", noted, len(out.replies))
		}
		in.queue.Close()
	})
}

// Requests of commands are bounded over all of them, and each has an outcome when the server ends.
func TestShared_PendingBound(t *testing.T) {
	s := &Shared{pending: map[jsonrpc.Key]outcome{}}
	outcomes := make(chan error, maxPending)
	for i := range maxPending {
		if err := s.add(jsonrpc.IntID(int64(i)), outcome{done: func(_ []byte, err error) { outcomes <- err }}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.add(jsonrpc.IntID(-1), outcome{}); !errors.Is(err, errPending) {
		t.Errorf("a further one: %v", err)
	}
	s.SettleAll(ErrEnded)
	for range maxPending {
		if err := <-outcomes; !errors.Is(err, ErrEnded) {
			t.Fatalf("the outcome is %v", err)
		}
	}
	if err := s.add(jsonrpc.IntID(-1), outcome{}); !errors.Is(err, ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}
