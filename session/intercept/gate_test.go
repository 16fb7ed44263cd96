package intercept_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/intercept"
	"mcptea/session/record"
	"mcptea/session/record/store"
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

func TestIntercept_Faults(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2}}`
	const other = `{"jsonrpc":"2.0","method":"notifications/message"}`
	for _, c := range []struct{ fault, want string }{
		{"wrong-id", `{"jsonrpc":"2.0","id":1000001,"result":{"a":1,"b":2}} ` + other},
		{"cut", `{"jsonrpc":"2.0","id":1 ` + other},
		{"drop", other},
		{"duplicate-answer", answer + " " + answer + " " + other},
		{"reorder", other + " " + answer},
		{"delay=300ms", answer + " " + other},
		{"bad-json", `{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2},} ` + other},
	} {
		t.Run(c.fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, err := intercept.ParseFault(c.fault)
				if err != nil {
					t.Fatal(err)
				}
				g := intercept.New(intercept.Options{})
				if err := g.SetFaults([]intercept.Fault{f}); err != nil {
					t.Fatal(err)
				}
				out, in := newStream(t, g, transport.Out), newStream(t, g, transport.In)
				out.put(call(1))
				in.put(answer)
				in.put(other)
				if f.Name == "delay" {
					in.want("")
					time.Sleep(300 * time.Millisecond)
				}
				in.want(c.want)
				if hits := g.State().Faults[0].Hits; hits != 1 {
					t.Errorf("%d hits", hits)
				}
			})
		})
	}
}

func TestIntercept_Faults_ProbabilityIsSeeded(t *testing.T) {
	run := func(seed uint64) string {
		g := intercept.New(intercept.Options{Seed: seed})
		if err := g.SetFaults([]intercept.Fault{{Name: "drop", Filter: "ping", Probability: 0.3}}); err != nil {
			t.Fatal(err)
		}
		var dropped strings.Builder
		synctest.Test(t, func(t *testing.T) {
			s := newStream(t, g, transport.Out)
			before := 0
			for range 200 {
				s.put(ping)
				s.got()
				if len(s.passed) == before {
					dropped.WriteByte('x')
				} else {
					dropped.WriteByte('.')
				}
				before = len(s.passed)
			}
		})
		return dropped.String()
	}
	first := run(42)
	if n := strings.Count(first, "x"); n < 40 || n > 80 {
		t.Errorf("%d of 200 frames are dropped with probability 0.3", n)
	}
	if run(42) != first {
		t.Error("the same seed drops other frames")
	}
	if run(43) == first {
		t.Error("another seed drops the same frames")
	}
}

func TestIntercept_ParseFault_Invalid(t *testing.T) {
	for _, text := range []string{"", "nonsense", "delay=x", "delay=-1s", "drop=1", "drop@0", "drop@2", "drop@x", "drop@NaN", "cut@150%", "drop,tool=", "drop,x=1", "drop,tool", "drop dir:nowhere", "tool=a"} {
		if f, err := intercept.ParseFault(text); err == nil {
			t.Errorf("%q is read as %+v", text, f)
		}
	}
	if f, err := intercept.ParseFault("delay=2s@25%"); err != nil || f.Probability != 0.25 || f.Arg != "2s" || f.String() != "delay=2s@0.25" {
		t.Errorf("delay=2s@25%% is read as %+v, %v", f, err)
	}
}

func TestIntercept_Fault_OfOneToolOrMethod(t *testing.T) {
	for _, c := range []struct {
		fault   string
		dropped []string
	}{
		{"drop,tool=search", []string{"search"}},
		{"drop tool=sea*", []string{"search"}},
		{"drop,method=prompts/*", []string{"prompts/get"}},
		{"drop,method=prompts/get dir:in", []string{"prompts/get"}},
		{"drop tool=add dir:in", []string{"add"}},
		{"drop", []string{"search", "add"}},
	} {
		fault, err := intercept.ParseFault(c.fault)
		if err != nil {
			t.Fatalf("%s: %v", c.fault, err)
		}
		g := intercept.New(intercept.Options{})
		if err := g.SetFaults([]intercept.Fault{fault}); err != nil {
			t.Fatal(err)
		}
		out, in := g.NewLane(""), g.NewLane("")
		var dropped []string
		for id, name := range []string{"search", "add", "prompts/get"} {
			request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, name)
			if strings.Contains(name, "/") {
				request = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"name":"search"}}`, id, name)
			}
			if out.Take(t.Context(), frameOf(transport.Out, request), 0) != nil {
				t.Errorf("%s: the request of %s is changed", c.fault, name)
			}
			if ticket := in.Take(t.Context(), frameOf(transport.In, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)), 0); ticket != nil {
				dropped = append(dropped, name)
				ticket.Done()
			}
		}
		if !slices.Equal(dropped, c.dropped) {
			t.Errorf("%s is applied to %q", c.fault, dropped)
		}
	}
}

func frameOf(dir transport.Direction, text string) transport.Frame {
	return transport.Frame{Dir: dir, Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text))}
}

func FuzzIntercept_ParseFault(f *testing.F) {
	f.Add("delay=300ms@0.5")
	f.Add("wrong-id@20%")
	f.Add("drop@0.5,tool=search,method=tools/*  json:.params.name=\"a  b\"")
	f.Add("drop tool=search dir:out")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := intercept.ParseFault(text)
		if err != nil {
			return
		}
		again, err := intercept.ParseFault(fault.String())
		if err != nil || again != fault {
			t.Fatalf("%q is %+v, written %q, then %+v, %v", text, fault, fault, again, err)
		}
	})
}

func TestIntercept_Faults_OfHTTP(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	for text, want := range map[string]int{"http-429": 429, "http-status=418": 418, "http-status": 503, "http-drop": 0, "http-session-expired": 404} {
		f, err := intercept.ParseFault(text)
		if err != nil || !f.HTTP() {
			t.Fatalf("%s: %+v, %v", text, f, err)
		}
		if err := intercept.New(intercept.Options{}).SetFaults([]intercept.Fault{f}); err == nil || !strings.Contains(err.Error(), "requires a server over HTTP") {
			t.Errorf("%s on stdio: %v", text, err)
		}
		g := intercept.New(intercept.Options{HTTP: true})
		if err := g.SetFaults([]intercept.Fault{f}); err != nil {
			t.Fatal(err)
		}
		frame := transport.Frame{Bytes: []byte(call), Envelope: jsonrpc.Scan([]byte(call)), Dir: transport.Out}
		ticket := g.NewLane("").Take(t.Context(), frame, 0)
		if ticket == nil {
			t.Fatalf("%s does not apply to a tool call", text)
		}
		o, ok := ticket.Wait(t.Context())
		ticket.Done()
		if !ok || len(o.Frames) != 0 || o.Status == nil || o.Status.Code != want {
			t.Errorf("%s: %+v", text, o)
		}
		frame.Dir = transport.In
		if g.NewLane("").Take(t.Context(), frame, 0) != nil {
			t.Errorf("%s applies to a frame of the server", text)
		}
	}
	for _, text := range []string{"http-status=99", "http-status=x", "http-429=1", "http-nothing"} {
		if _, err := intercept.ParseFault(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
