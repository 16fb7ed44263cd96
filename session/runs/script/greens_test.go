package script_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/script"
	"mcptea/session/session"
)

// planted is a server whose results have faults: the result of the tool does not match its outputSchema. It responds
// after a time.
func planted(delay time.Duration) sessiontest.Serve {
	return sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"find","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}]}`,
			"tools/call": `{"content":[{"type":"text","text":"{\"n\":\"x\"}"}],"structuredContent":{"n":"x"}}`,
		}[m.Method]
		switch {
		case m.ID == "":
		case strings.Contains(string(m.Params), `"lost"`) || m.Method == "lost":
			return true
		case result == "":
			p.Error(m, -32601, "Method not found")
		default:
			p.After(delay, func() { p.Result(m, result) })
		}
		return false
	})
}

// greens are lines that pass over a correct server, after the lines before them. None may pass over [planted].
var greens = []struct{ before, line, reason string }{
	{"call find", "lint error", "S011"},
	{"list tools\ncall find", "lint", "S011"},
	{"call find &", "lint", "put wait before lint or S011"},
	{"call find &\nwait", "lint warning", "S011"},
	{"call find", `expect {"structuredContent":{"n":"<number>"}}`, "n"},
	{"call find", `! expect {"structuredContent":{"n":"x"}}`, "although ! requires a difference"},
	{"call find", "jq '.structuredContent.n | type == \"number\"'", "false"},
	{"call find", "! jq .structuredContent.n", "is"},
	{"call find", "! text x", "the text matches"},
	{"", "! call find", "expected"},
	{"call find &", "! wait", "expected"},
	{"call find", "lint S011", "S011"},
	{"call find &\nwait", "lint S011", "S011"},
	{"", "? call lost", "no response"},
	{"", "? send lost", "no response"},
	{"", "! connect", "the connection succeeded"},
	{"call find", "timeout 1s\nreceive notifications/x", "notifications/x"},
	{"call find", "timeout 1s\nstderr ready", "ready"},
	{"", "read x:y", "Method not found"},
}

// runOver runs a script over a server.
func runOver(t *testing.T, s *script.Script, serve sessiontest.Serve) script.Result {
	return script.Run(t.Context(), s, script.Options{
		Connect: func(ctx context.Context, _ script.Connection) (*session.Session, error) {
			opened, err := session.Open(session.Config{
				Target: client.Target{Argv: []string{"server"}}, Record: "off", Dial: sessiontest.Dial(serve),
				Client: client.Config{Name: "test", Version: "0"},
				Lint:   true,
			})
			if err != nil {
				return nil, err
			}
			return opened, opened.Connect(ctx)
		},
		Close: func(s *session.Session) { _ = s.Close(context.WithoutCancel(t.Context())) }, Explain: func(err error) string { return err.Error() }, Timeout: 20 * time.Second,
	})
}

// Any response passes where the line begins with "?".
func TestRun_AnyResponse(t *testing.T) {
	for _, line := range []string{"? call find", "? read x:y", "? list prompts", "? send nothing", "call find &\n? wait", "send nothing &\n? wait\nexpect '{\"code\":-32601}'"} {
		synctest.Test(t, func(t *testing.T) {
			s, err := script.Parse("a.txtar", []byte(line+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			ran := runOver(t, s, planted(0))
			for _, f := range ran.Failures() {
				t.Errorf("%q: %s: %s", line, f.Command, f.Reason)
			}
		})
	}
	for line, want := range map[string]string{"? connect": "has no response", "? call a &": "? and & exclude", "? expect 1": "has no response", "lint X999": "severity"} {
		if _, err := script.Parse("a.txtar", []byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

// A request in the background is sent before the line below it.
func TestRun_BackgroundIsSentFirst(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			server := sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
				switch m.Method {
				case "initialize":
					p.Result(m, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
				case "first", "second", "third":
					got = append(got, m.Method)
					p.Result(m, `{}`)
				default:
					if m.ID != "" {
						p.Error(m, -32601, "Method not found")
					}
				}
				return false
			})
			s, err := script.Parse("a.txtar", []byte("send first &\nsend second\nwait\nsend third\n"))
			if err != nil {
				t.Fatal(err)
			}
			ran := runOver(t, s, server)
			if f := ran.Failures(); len(f) > 0 {
				t.Fatal(f[0].Reason)
			}
			if !slices.Equal(got, []string{"first", "second", "third"}) {
				t.Errorf("the server received %q", got)
			}
		})
	}
}

// A line fails over a server with the fault that it is about, however fast the server is.
func TestRun_NoGreenOverAFault(t *testing.T) {
	for _, delay := range []time.Duration{0, 700 * time.Millisecond} {
		for _, g := range greens {
			synctest.Test(t, func(t *testing.T) {
				text := strings.TrimPrefix(g.before+"\n"+g.line+"\n", "\n")
				s, err := script.Parse("a.txtar", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				r := runOver(t, s, planted(delay))
				failures := r.Failures()
				isReason := func(reason string) bool { return strings.Contains(failures[0].Reason, reason) }
				if len(failures) != 1 || !slices.ContainsFunc(strings.Split(g.reason, " or "), isReason) || !strings.Contains(g.line, failures[0].Command) {
					var said []string
					for _, f := range failures {
						said = append(said, f.Command+": "+f.Reason)
					}
					t.Errorf("%q over a server that responds after %v: %q, want %q", text, delay, said, g.reason)
				}
			})
		}
	}
}
