package tap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/intercept"
	"mcptea/session/record/store"
)

// midLine is the direction of a host that has written a part of a line only.
func midLine(dst *bytes.Buffer) *direction {
	d := &direction{
		dst: dst, queue: store.NewQueue(), midLine: true,
		sink: &lines{max: maxFrame, take: func(time.Time, []byte, string, bool) {}},
	}
	return d
}

// A command that sends without end behind the begin of a line is refused, and gets an outcome.
func TestShared_MidLineBound(t *testing.T) {
	var to bytes.Buffer
	s := newShared(nil)
	s.out = midLine(&to)
	outcomes := make(chan error, maxReplies+1)
	for i := range maxReplies + 1 {
		frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
		s.Start(frame, nil, func(_ []byte, err error) { outcomes <- err })
	}
	if err := <-outcomes; !errors.Is(err, errMidLine) {
		t.Errorf("the outcome is %v", err)
	}
	if len(s.out.replies) != maxReplies || len(s.pending) != maxReplies {
		t.Errorf("%d lines wait, %d requests are pending", len(s.out.replies), len(s.pending))
	}
	s.out.pass([]byte("the end\n"))
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
			out.reply([]byte("x\n"), transport.Attached)
		}
		noted := ""
		in := midLine(&bytes.Buffer{})
		in.back, in.lane, in.dir, in.note = out, g.NewLane(""), transport.In, func(text string) { noted = text }
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
	s := &shared{pending: map[jsonrpc.Key]outcome{}}
	outcomes := make(chan error, maxPending)
	for i := range maxPending {
		if err := s.add(jsonrpc.IntID(int64(i)), outcome{done: func(_ []byte, err error) { outcomes <- err }}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.add(jsonrpc.IntID(-1), outcome{}); !errors.Is(err, errPending) {
		t.Errorf("a further one: %v", err)
	}
	s.settleAll(errTapEnded)
	for range maxPending {
		if err := <-outcomes; !errors.Is(err, errTapEnded) {
			t.Fatalf("the outcome is %v", err)
		}
	}
	if err := s.add(jsonrpc.IntID(-1), outcome{}); !errors.Is(err, errTapEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// What begins late is refused, and does not begin beside the end of the wait.
func TestBackground_Late(t *testing.T) {
	for range 100 {
		var b background
		var running, late sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		b.Go(func() { <-ctx.Done() })
		n := 0 // written by what has begun; the race detector finds what Wait does not wait for
		var mu sync.Mutex
		for range 4 {
			running.Go(func() {
				for b.begin() {
					mu.Lock()
					n++
					mu.Unlock()
					b.Go(func() {
						mu.Lock()
						defer mu.Unlock()
						n++
					})
					b.end()
				}
			})
		}
		late.Go(cancel)
		b.Wait()
		n = 0
		running.Wait()
		late.Wait()
		if b.Go(func() { n++ }); n != 0 || b.begin() {
			t.Error("something begins after the wait")
		}
	}
}
