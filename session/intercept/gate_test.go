package intercept_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// stream moves frames through a lane as a tap does.
type stream struct {
	t    *testing.T
	dir  transport.Direction
	lane *intercept.Lane

	mu      sync.Mutex
	passed  []string
	replies []string
}

func newStream(t *testing.T, g *intercept.Gate, dir transport.Direction) *stream {
	return &stream{t: t, dir: dir, lane: g.NewLane("")}
}

func (s *stream) put(frame string) {
	f := transport.Frame{Bytes: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame)), Dir: s.dir, Time: time.Now()}
	ticket := s.lane.Take(s.t.Context(), f, store.None)
	if ticket == nil {
		s.pass(frame)
		return
	}
	ticket.Move(s.t.Context(), func(o intercept.Outcome) {
		for _, f := range o.Frames {
			s.pass(string(f))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range o.Replies {
			s.replies = append(s.replies, string(f))
		}
	})
}

func (s *stream) pass(frame string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = append(s.passed, frame)
}

// got returns what has passed, once all goroutines are idle.
func (s *stream) got() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.passed, " ")
	for _, r := range s.replies {
		text += " reply:" + r
	}
	return text
}

func (s *stream) want(want string) {
	s.t.Helper()
	if got := s.got(); got != want {
		s.t.Fatalf("passed %s\nwant   %s", got, want)
	}
}

func call(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, id)
}

const ping = `{"jsonrpc":"2.0","id":99,"method":"ping"}`

func gateOn(t *testing.T, filter string) *intercept.Gate {
	g := intercept.New(intercept.Options{Seed: 1})
	if err := g.SetBreakpoints([]intercept.Breakpoint{{Filter: filter}}); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestIntercept_Gate_HoldsMatchingFramesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(`{"first":1}`)
		s.put(call(1))
		s.put(ping)
		s.want(`{"first":1}`)
		held := g.State().Held
		if len(held) != 2 || held[0].Breakpoint != 1 || held[1].Behind != held[0].ID || held[0].Method != "tools/call" {
			t.Fatalf("held %+v", held)
		}
		if err := g.Decide(held[0].ID, intercept.Decision{Action: intercept.Forward}); err != nil {
			t.Fatal(err)
		}
		s.want(`{"first":1} ` + call(1) + " " + ping)
		if st := g.State(); len(st.Held) != 0 || st.Breakpoints[0].Hits != 1 {
			t.Fatalf("state %+v", st)
		}
		if err := g.Decide(held[0].ID, intercept.Decision{Action: intercept.Drop}); err == nil {
			t.Error("a frame that has gone on can be decided about")
		}
	})
}

func TestIntercept_Gate_Decisions(t *testing.T) {
	edited := []byte(`{"edited":true}`)
	for _, c := range []struct {
		name string
		d    intercept.Decision
		want string
	}{
		{"drop", intercept.Decision{Action: intercept.Drop}, ping},
		{"edit", intercept.Decision{Action: intercept.Forward, Bytes: edited}, string(edited) + " " + ping},
		{"duplicate", intercept.Decision{Action: intercept.Duplicate}, call(1) + " " + call(1) + " " + ping},
		{"respond", intercept.Decision{Action: intercept.Respond, Bytes: edited}, ping + " reply:" + string(edited)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gateOn(t, "id:1")
				s := newStream(t, g, transport.Out)
				s.put(call(1))
				s.put(ping)
				s.want("")
				if err := g.Decide(1, c.d); err != nil {
					t.Fatal(err)
				}
				s.want(c.want)
			})
		})
	}
}

func TestIntercept_Gate_Delay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		if err := g.Decide(1, intercept.Decision{Action: intercept.Delay, Delay: 5 * time.Minute}); err != nil {
			t.Fatal(err)
		}
		s.want("")
		if h := g.State().Held; len(h) != 1 || !h[0].Delayed || !h[0].Until.Equal(time.Now().Add(5*time.Minute)) {
			t.Fatalf("held %+v", h)
		}
		time.Sleep(5 * time.Minute)
		s.want(call(1))
	})
}

func TestIntercept_Gate_LetBehindPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		s.put(ping)
		if err := g.Decide(g.State().Held[1].ID, intercept.Decision{Action: intercept.Forward}); err != nil {
			t.Fatal(err)
		}
		s.want(ping)
		g.ForwardAll()
		s.want(ping + " " + call(1))
	})
}

func TestIntercept_Gate_ForwardsAtTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var why string
		g := intercept.New(intercept.Options{Limit: 10 * time.Second})
		g.OnChange(func(_ string, c *record.Change) { why = c.Why })
		if err := g.SetBreakpoints([]intercept.Breakpoint{{Filter: "tools"}}); err != nil {
			t.Fatal(err)
		}
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		time.Sleep(10*time.Second - 1)
		s.want("")
		time.Sleep(time.Nanosecond)
		s.want(call(1))
		if why != "time limit" {
			t.Errorf("reason %q", why)
		}
	})
}

func TestIntercept_Gate_ReleaseForwardsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		for i := range 5 {
			s.put(call(i))
		}
		s.want("")
		g.Release()
		s.want(strings.Join([]string{call(0), call(1), call(2), call(3), call(4)}, " "))
		if g.Active() {
			t.Error("the gate is active without breakpoints and frames")
		}
		s.put(call(9))
		if !strings.HasSuffix(s.got(), call(9)) {
			t.Error("a frame is held after the release")
		}
	})
}

func TestIntercept_Gate_ResponseHasMethodOfRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call dir:in")
		out, in := newStream(t, g, transport.Out), newStream(t, g, transport.In)
		out.put(call(7))
		out.want(call(7))
		in.put(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		in.put(`{"jsonrpc":"2.0","method":"notifications/message"}`)
		in.want("")
		if h := g.State().Held; len(h) != 2 || h[0].Method != "tools/call" || h[0].MessageID.String() != "7" {
			t.Fatalf("held %+v", h)
		}
		g.ForwardAll()
	})
}

// A breakpoint holds what a peer writes in another way, and passes it on as it came.
func TestIntercept_Gate_OtherSpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, `method:tools/call tool:"é"`)
		out, in := newStream(t, g, transport.Out), newStream(t, g, transport.In)
		request := `{"id":"\u0061","params":{"name":"\u00e9"},"method":"tools\/call","jsonrpc":"2.0"}`
		out.put(request)
		out.want("")
		if h := g.State().Held; len(h) != 1 || h[0].Method != "tools/call" {
			t.Fatalf("held %+v", h)
		}
		g.ForwardAll()
		out.want(request)
		response := `{"jsonrpc":"2.0","id":"a","result":{}}`
		in.put(response)
		in.want("")
		if h := g.State().Held; len(h) != 1 || h[0].Method != "tools/call" || h[0].MessageID.String() != `"a"` {
			t.Fatalf("held %+v", h)
		}
		g.ForwardAll()
		in.want(response)
	})
}

func TestIntercept_Gate_EndOfContext(t *testing.T) {
	g := gateOn(t, "tools")
	lane := g.NewLane("")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	frame := []byte(call(1))
	ticket := lane.Take(ctx, transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame)}, store.None)
	if _, ok := ticket.Wait(ctx); ok {
		t.Error("a frame goes on after the end of its stream")
	}
	ticket.Done()
	if held := g.State().Held; len(held) != 0 {
		t.Errorf("held %+v", held)
	}
}

func TestIntercept_SetBreakpoints_InvalidFilter(t *testing.T) {
	g := intercept.New(intercept.Options{})
	for _, text := range []string{"", "kind:nonsense", "size:1"} {
		if g.SetBreakpoints([]intercept.Breakpoint{{Filter: text}}) == nil {
			t.Errorf("filter %q is accepted", text)
		}
	}
}

func TestIntercept_SetBreakpoints_KeepsHits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		s.want("")
		list := g.State().Breakpoints
		if len(list) != 1 || list[0].Hits != 1 {
			t.Fatalf("%+v", list)
		}
		list[0].Hits = 0 // what an editor passes is not what counts
		if err := g.SetBreakpoints(append(list, intercept.Breakpoint{Filter: "method:ping", Hits: 7})); err != nil {
			t.Fatal(err)
		}
		got := g.State().Breakpoints
		if len(got) != 2 || got[0].Hits != 1 || got[1].Hits != 0 || got[0].ID == got[1].ID {
			t.Errorf("after another one was added: %+v", got)
		}
		g.Release()
		g.Release()
	})
}
