package export

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// changed is a session of a tap in which frames were changed.
func changed(exchange uint32) *recording {
	over := "stdio"
	if exchange != 0 {
		over = "http"
	}
	r := newRecording(over, "target")
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: over}})
	if exchange != 0 {
		r.event(record.Event{Kind: record.KindHTTP, Exchange: &transport.Exchange{ID: exchange, Method: "POST", URL: "http://x/mcp", Purpose: "message"}})
	}
	r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","arguments":{"leaf":"green"}}}`)
	r.event(record.Event{Kind: record.KindChange, Change: &record.Change{
		Row: 0, What: record.Edited, Breakpoint: 2, Held: 34400 * time.Millisecond,
		Sent: [][]byte{[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","arguments":{"leaf":"black"}}}`)},
	}})
	r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	r.event(record.Event{Kind: record.KindChange, Change: &record.Change{Row: 1, What: record.Dropped, Sent: [][]byte{}}})
	if exchange != 0 {
		r.event(record.Event{Kind: record.KindHTTP, Exchange: &transport.Exchange{ID: exchange, Phase: transport.ExchangeDone, Status: 200}})
	}
	return r
}

// TestExport_BothSides finds what was received and what was sent on in the formats that
// show frames.
func TestExport_BothSides(t *testing.T) {
	for _, exchange := range []uint32{0, 3} {
		for _, format := range []string{"jsonl", "html", "har", "markdown"} {
			text := export(t, format, changed(exchange).source(t), Options{Redactor: NewRedactor()})
			for _, want := range []string{"green", "black", "edited", "dropped"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s, exchange %d, lacks %q:\n%s", format, exchange, want, text)
				}
			}
		}
	}
	text := export(t, "mermaid", changed(0).source(t), Options{})
	if !strings.Contains(text, "Note over C,S: 1 was held for 34.4 s by breakpoint 2, then edited and forwarded") {
		t.Errorf("the diagram:\n%s", text)
	}
	var archive struct {
		Log struct {
			Entries []struct {
				Changes []struct {
					Frame int
					Text  string
					Sent  []string
				} `json:"_changes"`
			}
		}
	}
	if err := json.Unmarshal([]byte(export(t, "har", changed(0).source(t), Options{})), &archive); err != nil {
		t.Fatal(err)
	}
	if c := archive.Log.Entries[0].Changes; len(c) != 2 || c[0].Frame != 1 || len(c[0].Sent) != 1 || c[1].Frame != 2 {
		t.Errorf("the archive has %+v", c)
	}
}

// TestRecording_SelectedChanges selects some frames: their changes name their new rows,
// and those of others are left out.
func TestRecording_SelectedChanges(t *testing.T) {
	only := func(rows ...int32) *record.Change {
		var found *record.Change
		selected := func(row int32) bool {
			for _, r := range rows {
				if r == row {
					return true
				}
			}
			return false
		}
		text := export(t, "jsonl", changed(0).source(t), Options{Rows: selected})
		for e, err := range (&recording{bytes: []byte(text)}).source(t).Events {
			if err != nil {
				t.Fatal(err)
			}
			if e.Change != nil {
				if found != nil {
					t.Error("there are two changes")
				}
				found = e.Change
			}
		}
		return found
	}
	if c := only(0); c == nil || c.Row != 0 || c.What != record.Edited {
		t.Errorf("of the first frame: %+v", c)
	}
	if c := only(1); c == nil || c.Row != 0 || c.What != record.Dropped {
		t.Errorf("of the second frame: %+v", c)
	}
}

// TestRaw_WithoutWithheldFrames: what was on no wire is in no stream.
func TestRaw_WithoutWithheldFrames(t *testing.T) {
	r := newRecording("stdio", "target")
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r.event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: []byte(`{"never":"sent"}`), Ending: "\n", Note: transport.Note{Side: transport.Withheld}}})
	if text := export(t, "raw", r.source(t), Options{Dir: out}); strings.Contains(text, "never") {
		t.Errorf("%s", text)
	}
}
