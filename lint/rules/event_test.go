package rules

import (
	"bytes"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// A recording of a server that was terminated has no events between the end of
// stdin and the exit of the process.
func TestFeed_K009_ExitLongAfterStdinClosed(t *testing.T) {
	for _, tt := range []struct {
		lingered time.Duration
		fires    bool
	}{{4 * time.Second, true}, {time.Second, false}} {
		var found []lint.Finding
		feed := New(func(f lint.Finding) { found = append(found, f) })
		feed.Open(record.Header{Transport: "stdio"})
		at := time.Unix(1_800_000_000, 0)
		for dir, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
			f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: at, Dir: []transport.Direction{transport.Out, transport.In}[dir]}
			feed.Event(&record.Event{Kind: record.KindFrame, Time: at, Frame: f}, 1)
		}
		for _, p := range []transport.ProcessEvent{
			{What: transport.ProcessStarted, Time: at},
			{What: transport.ProcessStdinClosed, Time: at.Add(time.Second)},
			{What: transport.ProcessExited, Time: at.Add(time.Second + tt.lingered), Signal: "SIGKILL", Expected: true},
		} {
			feed.Event(&record.Event{Kind: record.KindProcess, Time: p.Time, Process: &p}, 1)
		}
		if fired(found, "K009") != tt.fires {
			t.Errorf("after %v it found %v", tt.lingered, ids(found))
		}
	}
}

// A response by way of the browser is not an exchange of mcptea: the step of
// authorization that refused it is what a recording has.
func TestFeed_A008_RefusedIssuer(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	text := record.AppendHeader(nil, record.Header{Time: at.UnixNano(), Tool: "t", Transport: "http", Target: "http://127.0.0.1/mcp"})
	text = record.AppendEvent(text, 1, &record.Event{Kind: record.KindAuthorization, Time: at, Step: record.StepOf(oauth.Step{
		Name: oauth.StepConsent, Start: at, State: oauth.Failed,
		Refusal: &oauth.Refusal{Kind: oauth.MissingIssuer, Expected: "https://as.example"},
	})})
	lines := record.NewLines(t.Context(), bytes.NewReader(text))
	defer lines.Close()
	first, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := record.NewReader(first, lines)
	if err != nil {
		t.Fatal(err)
	}
	var found []lint.Finding
	feed := New(func(f lint.Finding) { found = append(found, f) })
	feed.Open(reader.Header)
	for e, err := range reader.Events() {
		if err != nil {
			t.Fatal(err)
		}
		feed.Event(e, int32(reader.Line()))
	}
	if !fired(found, "A008") {
		t.Errorf("found %v", ids(found))
	}
}

// TestFeed_N018_ClosedConnection: over HTTP there is no process whose exit ends the session. What
// a recording lacks may be the list.
func TestFeed_N018_ClosedConnection(t *testing.T) {
	for _, tt := range []struct {
		name  string
		notes string
		ends  bool
		fires bool
	}{
		{"closed", "", true, true},
		{"cut off", "", false, false},
		{"with a gap", record.NotComplete + ", its temporary storage was full", true, false},
	} {
		var found []lint.Finding
		feed := New(func(f lint.Finding) { found = append(found, f) })
		feed.Open(record.Header{Transport: "http"})
		at := time.Unix(1_800_000_000, 0)
		row := int32(0)
		event := func(e record.Event) {
			e.Time = at
			feed.Event(&e, row)
			row++
		}
		frame := func(dir transport.Direction, text string) {
			event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: at, Dir: dir}})
		}
		event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "http"}})
		frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
		frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`)
		frame(transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		frame(transport.In, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
		frame(transport.In, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		at = at.Add(3 * time.Second)
		frame(transport.Out, `{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`)
		if tt.notes != "" {
			event(record.Event{Kind: record.KindNote, Text: tt.notes})
		}
		if tt.ends {
			event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionClosed, Number: 1}})
		}
		if fired(found, "N018") != tt.fires {
			t.Errorf("%s: it found %v", tt.name, ids(found))
		}
		for _, f := range found {
			if f.Rule.ID == "N018" && f.Row != 5 {
				t.Errorf("N018 is about row %d", f.Row)
			}
		}
	}
}
