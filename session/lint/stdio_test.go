package lint

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// begun is an engine that has seen a handshake begin over stdio.
func begun(found *[]Finding) (*Engine, time.Time) {
	e := New(func(f Finding) { *found = append(*found, f) })
	now := time.Unix(1_800_000_000, 0)
	b := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	e.Frame(Frame{Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Ending: "\n"}})
	return e, now
}

func TestAServerThatDiesSaysWhy(t *testing.T) {
	var found []Finding
	e, now := begun(&found)
	for _, line := range []string{"first", "", "Error: no such file", "API_TOKEN=0123456789", "  at main (index.js:1)"} {
		e.Stderr(now, line)
	}
	e.End(now, Ending{By: Server, Exited: true, ExitCode: -1, Signal: "killed"})
	if !fired(found, "K008") || fired(found, "J035") || fired(found, "K010") {
		t.Fatalf("found %v", ids(found))
	}
	text := found[len(found)-1].Message
	for _, want := range []string{"-1 (signal: killed)", `"Error: no such file"`, "API_TOKEN=", "index.js"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	if strings.Contains(text, "0123456789") || strings.Contains(text, "first") {
		t.Errorf("%q says too much", text)
	}
}

// exitGrace is how long a process may run after its stdin was closed (K009).
const exitGrace = 3 * time.Second

func TestAServerThatLingersIsToldOnce(t *testing.T) {
	for _, ticks := range []bool{false, true} {
		var found []Finding
		e, now := begun(&found)
		e.StdinClosed(now)
		if ticks {
			e.Tick(now.Add(exitGrace))
			e.Tick(now.Add(exitGrace + time.Second))
		}
		e.End(now.Add(2*exitGrace), Ending{By: Server, Exited: true, Signal: "terminated", Lingered: 2 * exitGrace})
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

// What is spread over very many lines costs no more than its bytes, and is
// forgotten when it is too long.
func TestSpreadIsBounded(t *testing.T) {
	var s spread
	take := func(line string) Frame {
		f := Frame{Frame: transport.Frame{Bytes: []byte(line), Envelope: jsonrpc.Scan([]byte(line))}}
		s.take(&f, Stdio)
		return f
	}
	take("[")
	for range 10_000 {
		take(`{"a":1},`)
	}
	if take(`{"a":1}`); s.lines == 0 {
		t.Error("a long array is not followed")
	}
	if f := take("]"); f.Lines != 10_003 {
		t.Errorf("it has %d lines", f.Lines)
	}
	take("[")
	big := `"` + string(bytes.Repeat([]byte("x"), maxSpread/2)) + `",`
	take(big)
	take(big)
	if len(s.text) != 0 {
		t.Errorf("%d bytes are kept", len(s.text))
	}
}

// K008 quotes the line that says why, not the brackets around it.
func TestK008_QuotesTheDecisiveLine(t *testing.T) {
	var found []Finding
	e, now := begun(&found)
	for _, line := range []string{"Error: Cannot find module 'left-pad'", "    at Module._resolve (node:internal:1)", "  requireStack: [", `    "/srv/index.js"`, "  ]", "}", "", "Node.js v20.20.2"} {
		e.Stderr(now, line)
	}
	e.End(now, Ending{Row: -1, By: Server, Exited: true, ExitCode: 1})
	text := found[len(found)-1].Message
	if !strings.Contains(text, "Cannot find module 'left-pad'") || strings.Contains(text, "Node.js v20") || strings.Contains(text, `"}"`) {
		t.Errorf("%q", text)
	}
}

func TestNewestOf_FollowsRepeatedExchanges(t *testing.T) {
	st := newState(HTTP, &hooks{})
	for _, x := range []transport.Exchange{{ID: 1, Status: 401}, {ID: 2, Status: 200}, {ID: 3, Repeats: 1, Status: 307}, {ID: 5, Repeats: 3, Status: 400}} {
		st.Exchanges[x.ID] = &Exchange{Exchange: x}
	}
	for id, want := range map[uint32]int{1: 400, 2: 200, 5: 400} {
		if x := st.newestOf(id); x.Status != want {
			t.Errorf("exchange %d was decided by HTTP %d, want %d", id, x.Status, want)
		}
	}
	if st.newestOf(9) != nil {
		t.Error("an exchange that is not there")
	}
}
