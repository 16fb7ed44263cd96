package negotiate

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

var update = flag.Bool("update", false, "rewrite testdata/machine.txtar")

// TestMachine plays the conversations of testdata/machine.txtar. In each, a line
// with ">" is an event (or the start), and the lines below it are what the
// machine makes of it: the action, its state, and new evidence. The rows are
// those of the specification's tables about falling back (2026-07-28, basic /
// versioning; 2025-11-25, transports, "Backwards Compatibility"; lifecycle,
// "Version Negotiation") and the pairs of clients and servers of both eras.
func TestMachine(t *testing.T) {
	const file = "testdata/machine.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 100 {
		t.Fatalf("only %d conversations", len(archive.Files))
	}
	seen := map[string]bool{}
	for i, f := range archive.Files {
		if seen[f.Name] {
			t.Errorf("two conversations of the name %q", f.Name)
		}
		seen[f.Name] = true
		t.Run(f.Name, func(t *testing.T) {
			got := play(t, string(f.Data))
			if *update {
				archive.Files[i].Data = []byte(got)
			} else if got != string(f.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, f.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// play runs the events of a conversation and writes it again with the outcome.
func play(t *testing.T, script string) string {
	var out strings.Builder
	var m *Machine
	cfg := Config{Backoff: 500 * time.Millisecond, Capabilities: []byte(`{"roots":{}}`), CanRestart: true}
	seen := 0
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		words, isEvent := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "#"):
			fmt.Fprintln(&out, line)
			continue
		case !isEvent:
			continue
		}
		fmt.Fprintln(&out, line)
		var a Action
		if options, ok := strings.CutPrefix(words, "start"); ok {
			m = New(configure(t, cfg, options))
			a = m.Start()
		} else {
			a = m.Next(parseEvent(t, words))
		}
		fmt.Fprintf(&out, "  %s\t[%s]\n", describe(a), m.state)
		d := m.Detection()
		for _, sentence := range d.Evidence[seen:] {
			fmt.Fprintf(&out, "  %s, %s: %s\n", d.Era, d.DetectedBy, sentence)
		}
		seen = len(d.Evidence)
	}
	return out.String()
}

func describe(a Action) string {
	text := string(a.Kind)
	add := func(format string, args ...any) { text += " " + fmt.Sprintf(format, args...) }
	if a.Probe {
		add("as probe")
	}
	if a.Offer != "" {
		add("%s", a.Offer)
	}
	if a.Restart {
		add("after restart")
	}
	if a.Retry {
		add("again after %s", a.Wait)
	}
	if o := a.Outcome; o.Revision != "" {
		add("%s", o.Revision)
		if o.Unknown != "" {
			add("for %q", o.Unknown)
		}
		if o.Offered != o.Revision {
			add("(offered %s)", o.Offered)
		}
	}
	if a.Outcome.Resumed {
		add("as before")
	}
	if a.Err != nil {
		add(": %v", a.Err)
	}
	return text
}

func configure(t *testing.T, cfg Config, options string) Config {
	for _, o := range strings.Fields(options) {
		name, value, _ := strings.Cut(o, "=")
		switch name {
		case "http":
			cfg.Transport = AnyHTTP
		case "http-only":
			cfg.Transport = HTTP
		case "sse":
			cfg.Transport = SSE
		case "pinned":
			cfg.Pinned = revision.Revision(value)
		case "was":
			cfg.Remembered = map[string]revision.Era{"stateless": revision.EraStateless, "handshake": revision.EraHandshake}[value]
		case "lenient":
			cfg.Lenient = true
		case "no-restart":
			cfg.CanRestart = false
		default:
			t.Fatalf("unknown option %q", o)
		}
	}
	if cfg.Transport != Stdio {
		cfg.CanRestart = false
	}
	return cfg
}

// parseEvent reads an event: a kind and what belongs to it. A number in front is
// the HTTP status of the exchange.
func parseEvent(t *testing.T, words string) Event {
	kind, rest, _ := strings.Cut(words, " ")
	if status, err := strconv.Atoi(kind); err == nil {
		return parseStatus(t, status, rest)
	}
	e := Event{Err: errors.New(words)}
	switch kind {
	case "result":
		e = response(`{"jsonrpc":"2.0","id":1,"result":` + rest + `}`)
	case "error":
		e = response(errorFrame(rest))
	case "timeout":
		e.Kind, e.After = Timeout, 5*time.Second
	case "unsolicited":
		e.Kind = Unsolicited
	case "invalid":
		e.Kind, e.Reason = InvalidResponse, rest
	case "exit":
		e.Kind, e.Reason = Exited, "exit status "+rest
	case "network":
		e.Kind = NetworkError
	case "dial":
		e.Kind, e.Err = NetworkError, fmt.Errorf("POST: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	case "tls":
		e.Kind = TLSError
	case "canceled":
		e.Kind = Canceled
	case "opened":
		e.Kind = StreamOpened
	case "sent":
		e.Kind = InitializedSent
	case "late":
		e = parseEvent(t, rest)
		e.Kind = LateResponse
	case "request":
		e = parseEvent(t, rest)
		e.Method = "tools/list"
		e.Kind = RequestRefused
		if e.Envelope.Kind == jsonrpc.Response {
			e.Kind = RequestSucceeded
		}
	default:
		t.Fatalf("unknown event %q", words)
	}
	return e
}

func parseStatus(t *testing.T, status int, rest string) Event {
	what, body, _ := strings.Cut(rest, " ")
	refused := &transport.StatusError{Method: "POST", URL: "http://a.example/mcp", Status: status}
	e := Event{Kind: HTTPError, Err: refused}
	switch what {
	case "result", "error": // under the id of the request: the body is a response
		e = parseEvent(t, rest)
	case "no-id":
		refused.Body = []byte(strings.Replace(errorFrame(body), `"id":1`, `"id":null`, 1))
	case "body":
		refused.Body = []byte(body)
	case "retry-after":
		e.RetryAfter, _ = time.ParseDuration(body)
	case "accepted":
		e.Accepted = true
	case "unauthorized":
		e.Err = &transport.AuthorizationError{Status: refused, Err: errors.New(body)}
	case "network", "timeout":
		e = parseEvent(t, rest)
	case "":
	default:
		t.Fatalf("unknown body %q", rest)
	}
	e.Status = status
	if status != 200 {
		e.HTTP = refused
	}
	return e
}

func response(frame string) Event {
	return Event{Kind: Response, Frame: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))}
}

// errorFrame makes an error response of "CODE [MESSAGE] [{DATA}]".
func errorFrame(words string) string {
	code, rest, _ := strings.Cut(words, " ")
	message, data := rest, ""
	if i := strings.IndexByte(rest, '{'); i >= 0 {
		message, data = strings.TrimSpace(rest[:i]), `,"data":`+rest[i:]
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%s,"message":%q%s}}`, code, message, data)
}

// Every event in every state has an action, and what has failed stays failed.
func TestMachine_NoStuckState(t *testing.T) {
	states := []state{
		idle, probing, listingTools, initializing, acknowledging, discovering, openingStream, statelessReady, handshaken, renegotiating, failed,
	}
	awaited := []EventKind{Response, HTTPError, Timeout, Unsolicited, InvalidResponse, Exited, NetworkError, TLSError, Canceled}
	others := []EventKind{LateResponse, StreamOpened, InitializedSent, RequestSucceeded, RequestRefused}
	for _, state := range states {
		for _, kind := range slices.Concat(awaited, others) {
			for _, transport := range []Transport{Stdio, AnyHTTP, HTTP, SSE} {
				m := New(Config{Transport: transport})
				m.state, m.attempt, m.renegotiated = state, 1, state == renegotiating
				e := response(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`)
				e.Kind, e.Err = kind, errors.New("no")
				a := m.Next(e)
				waits := state == idle || state == failed || state == statelessReady || state == handshaken || slices.Contains(others, kind)
				if a.Kind == Keep && !waits {
					t.Errorf("%s, %s: no action", state, kind)
				}
				if a.Kind == Fail && a.Err == nil {
					t.Errorf("%s, %s: a failure without an error", state, kind)
				}
			}
		}
	}
}

// The step that ends with the second probe names what both probes have shown.
func TestMachine_ReasonAfterToolsList(t *testing.T) {
	m := New(Config{Transport: AnyHTTP})
	m.Start()
	m.Next(parseEvent(t, "404 error -32601 Method not found"))
	a := m.Next(parseEvent(t, `result {"tools":[]}`))
	for _, want := range []string{"server/discover returned error -32601 Method not found with HTTP 404, and the tools/list result has no", "; falling back to initialize"} {
		if !strings.Contains(a.Reason, want) {
			t.Errorf("%q does not contain %q", a.Reason, want)
		}
	}
}
