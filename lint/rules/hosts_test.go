package rules_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/wiremutant"
	"mcptea/lint"
	"mcptea/lint/rules"
)

// A hostWorld is a right host and a right server. Mutants change what the host sends.
type hostWorld struct {
	name     string
	revision revision.Revision
}

var hostWorlds = []hostWorld{{"host25", revision.R20251125}, {"host26", revision.R20260728}}

// observer lints what a server gets and sends.
type observer struct {
	mu  sync.Mutex // never held while a goroutine waits
	e   *lint.Engine
	row int32
	// found has a line for each finding about the client: "RULE SEVERITY MESSAGE".
	found []string
}

func observe() *observer {
	o := &observer{}
	o.e = rules.New(func(f lint.Finding) {
		if f.Fault == lint.Client {
			o.found = append(o.found, fmt.Sprintf("%s %s %s", f.Rule.ID, f.Severity, f.Message))
		}
	})
	o.e.Begin(lint.Stdio)
	return o
}

func (o *observer) line(dir transport.Direction, text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.row++
	o.e.Frame(lint.Frame{Row: o.row, Frame: transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: time.Now(), Dir: dir, Ending: "\n"}})
}

// between returns a server whose lines are observed.
func (o *observer) between(serve sessiontest.Serve) sessiontest.Serve {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		var all sync.WaitGroup
		pass := func(from io.Reader, to io.Writer, dir transport.Direction) {
			for lines := bufio.NewReader(from); ; {
				line, err := lines.ReadBytes('\n')
				if text := bytes.TrimRight(line, "\n"); len(text) > 0 {
					o.line(dir, bytes.Clone(text))
				}
				if _, failed := to.Write(line); err != nil || failed != nil {
					return
				}
			}
		}
		all.Go(func() { pass(in, toServer, transport.Out); _ = toServer.Close() })
		all.Go(func() { pass(fromServer, out, transport.In) })
		err := serve(ctx, fromClient, toClient)
		_ = toClient.Close()
		_ = fromClient.Close()
		all.Wait()
		return err
	}
}

// ignoring is a tap that keeps nothing.
type ignoring struct{}

func (ignoring) Frame(transport.Frame) (at transport.Ref) { return at }
func (ignoring) Exchange(transport.Exchange)              {}
func (ignoring) Stderr(transport.Line)                    {}
func (ignoring) Process(transport.ProcessEvent)           {}
func (ignoring) Step(client.Step)                         {}
func (ignoring) Lost(jsonrpc.ID, error)                   {}

// run has the host use the server behind a wire, and returns the findings about the host.
func (w hostWorld) run(t *testing.T, wire *wiremutant.Wire) []string {
	t.Helper()
	o := observe()
	synctest.Test(t, func(t *testing.T) {
		var c *client.Client
		cfg := client.Config{Name: "host", Version: "1", Revision: w.revision, Sampling: true, Elicitation: true, Roots: []client.Root{{URI: "file:///tmp", Name: "tmp"}}}
		cfg.OnServerRequest = func(q client.ServerRequest) {
			result := `{"role":"assistant","model":"m","content":{"type":"text","text":"tea"}}`
			if q.Method == "elicitation/create" {
				result = `{"action":"decline"}`
			}
			go func() { _ = c.Respond(context.Background(), q.ID, []byte(result)) }()
		}
		c = sessiontest.Dial(wire.Stdio(o.between(sessiontest.Demo(demo.Options{Pace: time.Second}))))(ignoring{}, cfg)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		if c.Connect(ctx) == nil {
			use(ctx, c, w.revision)
		}
		_ = c.Close(ctx)
	})
	o.e.Last()
	return o.found
}

// use sends what a host sends.
func use(ctx context.Context, c *client.Client, r revision.Revision) {
	for _, kind := range []client.ListKind{client.Tools, client.Resources, client.Templates, client.Prompts} {
		_, _ = c.List(ctx, kind)
	}
	call := func(method, params string) {
		short, stop := context.WithTimeout(ctx, 30*time.Second)
		defer stop()
		_, _ = c.Call(short, method, []byte(params))
	}
	for _, params := range []string{
		`{"name":"echo","arguments":{"message":"tea"}}`, `{"name":"add","arguments":{"a":1,"b":2}}`,
		`{"name":"long-work","arguments":{"duration":2},"_meta":{"progressToken":"p1"}}`, `{"name":"ask-user","arguments":{}}`, `{"name":"ask-model","arguments":{}}`, `{"name":"list-roots","arguments":{}}`,
	} {
		call("tools/call", params)
	}
	call("resources/read", `{"uri":"demo://readme"}`)
	call("prompts/get", `{"name":"greeting","arguments":{"name":"Ada"}}`)
	call("completion/complete", `{"ref":{"type":"ref/prompt","name":"greeting"},"argument":{"name":"name","value":""}}`)
	if !r.IsStateless() {
		call("ping", "")
		call("logging/setLevel", `{"level":"info"}`)
		call("resources/subscribe", `{"uri":"demo://readme"}`)
		call("resources/unsubscribe", `{"uri":"demo://readme"}`)
	}
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	_, _ = c.Call(short, "tools/call", []byte(`{"name":"slow-answer","arguments":{"seconds":5}}`)) // it is cancelled
}

// TestMutants_Hosts changes what a right host sends, one thing at a time, and looks whether the rules name it.
func TestMutants_Hosts(t *testing.T) {
	of, err := wiremutant.Read("testdata/host-mutants.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range hostWorlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			base := w.run(t, wiremutant.New(wiremutant.Mutant{}))
			for _, line := range base {
				if !strings.Contains(line, " info ") {
					t.Errorf("the right host is accused: %s", line)
				}
			}
			for _, m := range of[w.name] {
				w.judge(t, m, base)
			}
		})
	}
}

// judge runs a mutant and compares what the rules find beyond the right host with its class.
func (w hostWorld) judge(t *testing.T, m wiremutant.Mutant, base []string) {
	t.Helper()
	wire := wiremutant.New(m)
	more := slices.DeleteFunc(w.run(t, wire), func(line string) bool { return slices.Contains(base, line) })
	named := slices.ContainsFunc(more, func(line string) bool {
		return slices.ContainsFunc(m.Want, func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(line) })
	})
	accused := slices.ContainsFunc(more, func(line string) bool { return !strings.Contains(line, " info ") })
	all := strings.Join(more, "\n\t")
	switch {
	case wire.Touched() == 0:
		t.Errorf("%s changes no message", m)
	case m.Class == wiremutant.Violation && !named:
		t.Errorf("%s is missed, or told with another sentence (%s):\n\t%s", m, m.Spec, all)
	case m.Class == wiremutant.Allowed && accused:
		t.Errorf("%s is allowed, and accused:\n\t%s", m, all)
	default:
		t.Logf("%s: %s\n\t%s", m.Class, m, all)
	}
}
