package rules

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// begun is an engine that has seen a handshake begin over stdio.
func begun(found *[]lint.Finding) (*lint.Engine, time.Time) {
	e := New(func(f lint.Finding) { *found = append(*found, f) })
	now := time.Unix(1_800_000_000, 0)
	b := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	e.Frame(lint.Frame{Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Ending: "\n"}})
	return e, now
}

// answering is begun for a server that has answered initialize.
func answering(found *[]lint.Finding) (*lint.Engine, time.Time) {
	e, now := begun(found)
	b := []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	e.Frame(lint.Frame{Frame: transport.Frame{Dir: transport.In, Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Ending: "\n"}})
	return e, now
}

func TestK008_QuotesStderr(t *testing.T) {
	var found []lint.Finding
	e, now := begun(&found)
	for _, line := range []string{"first", "", "Error: no such file", "API_TOKEN=0123456789", "  at main (index.js:1)"} {
		e.Stderr(now, line)
	}
	e.End(now, lint.Ending{By: lint.Server, Exited: true, ExitCode: -1, Signal: "killed"})
	if !fired(found, "K008") || fired(found, "J035") || fired(found, "K010") {
		t.Fatalf("found %v", ids(found))
	}
	text := found[len(found)-1].Message
	for _, want := range []string{"-1 (signal: killed)", `"Error: no such file"`, "API_TOKEN=", "index.js"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "0123456789") || strings.Contains(text, `"first"`) {
		t.Errorf("%q has too much", text)
	}
}

// Secrets that only the caller knows are redacted in lines of stderr, also where the
// line is cut, and in what findings quote of frames.
func TestRedact_KnownSecrets(t *testing.T) {
	const known = "kettle-on-the-stove"
	for name, line := range map[string]string{
		"in the line":           "refused: " + known,
		"where the line is cut": strings.Repeat("x", 195) + known,
		"where the text is cut": strings.Repeat("x", 295) + known,
	} {
		var found []lint.Finding
		e := New(func(f lint.Finding) { found = append(found, f) }, lint.Redact(func(text string) string { return strings.ReplaceAll(text, known, "•") }))
		now := time.Unix(1_800_000_000, 0)
		e.Stderr(now, line)
		b := []byte("listening with " + known)
		e.Frame(lint.Frame{Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Dir: transport.In, Ending: "\n"}})
		e.End(now, lint.Ending{By: lint.Server, Exited: true, ExitCode: 1})
		if !fired(found, "K008") {
			t.Fatalf("%s: found %v", name, ids(found))
		}
		for _, f := range found {
			if strings.Contains(f.Message+f.Hint, known[:5]) {
				t.Errorf("%s: %s %q", name, f.Rule.ID, f.Message)
			}
		}
	}
}

// exitGrace is how long a process may run after its stdin was closed (K009).
const exitGrace = 3 * time.Second

func TestK009_OncePerProcess(t *testing.T) {
	for _, ticks := range []bool{false, true} {
		var found []lint.Finding
		e, now := answering(&found)
		e.StdinClosed(now)
		if ticks {
			e.Tick(now.Add(exitGrace))
			e.Tick(now.Add(exitGrace + time.Second))
		}
		e.End(now.Add(2*exitGrace), lint.Ending{By: lint.Server, Exited: true, Signal: "terminated", RanOn: 2 * exitGrace})
		n := 0
		for _, f := range found {
			if f.Rule.ID == "K009" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("ticks %v: told %d times: %v", ticks, n, ids(found))
		}
	}
}

// A server that is still starting cannot read the end of stdin.
func TestK009_StillStarting(t *testing.T) {
	var found []lint.Finding
	e, now := begun(&found)
	e.StdinClosed(now)
	e.Tick(now.Add(exitGrace))
	e.End(now.Add(2*exitGrace), lint.Ending{By: lint.Server, Exited: true, RanOn: 2 * exitGrace})
	if fired(found, "K009") {
		t.Errorf("found %v", ids(found))
	}
}

// K008 quotes the line with the cause, not the brackets around it.
func TestK008_DecisiveLine(t *testing.T) {
	var found []lint.Finding
	e, now := begun(&found)
	for _, line := range []string{"Error: Cannot find module 'left-pad'", "    at Module._resolve (node:internal:1)", "  requireStack: [", `    "/srv/index.js"`, "  ]", "}", "", "Node.js v20.20.2"} {
		e.Stderr(now, line)
	}
	e.End(now, lint.Ending{Row: -1, By: lint.Server, Exited: true, ExitCode: 1})
	text := found[len(found)-1].Message
	if !strings.Contains(text, "Cannot find module 'left-pad'") || strings.Contains(text, "Node.js v20") || strings.Contains(text, `"}"`) {
		t.Errorf("%q", text)
	}
}
