package intercept_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/intercept"
)

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
