package rules

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// TestFeed_ChangedFrames has a breakpoint or a fault change frames of a tap. Each side is
// judged by what it has sent and received; what mcptea has made of a frame is blamed on
// neither. Without the change, each of the sessions has a finding.
func TestFeed_ChangedFrames(t *testing.T) {
	out := func(text string) *record.Event { return sideEvent(transport.Out, transport.Both, text) }
	in := func(text string) *record.Event { return sideEvent(transport.In, transport.Both, text) }
	change := func(row int32, what record.Changed, sent ...string) *record.Event {
		c := &record.Change{Row: row, What: what, Sent: [][]byte{}}
		for _, text := range sent {
			c.Sent = append(c.Sent, []byte(text))
		}
		return &record.Event{Kind: record.KindChange, Change: c}
	}
	const (
		call       = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a","arguments":{}}}`
		list       = `{"jsonrpc":"2.0","id":5,"method":"resources/list"}`
		callOther  = `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"a","arguments":{}}}`
		result     = `{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`
		listResult = `{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`
		broken     = `{"jsonrpc":"2.0","id":5,"result":{"content":7}}`
	)
	// The handshake has the rows 0 to 2.
	for _, c := range []struct {
		name   string
		events []*record.Event
		rule   string // that fires although the frame was changed; empty if none
		wrong  bool   // it has findings if nothing says that the frame was changed
	}{
		{"request with another method", []*record.Event{out(call), change(3, record.Edited, list), in(listResult)}, "", true},
		{"request with another id", []*record.Event{out(call), change(3, record.Edited, callOther), in(`{"jsonrpc":"2.0","id":6,"result":{"content":[]}}`)}, "", true},
		{"request sent twice", []*record.Event{out(call), change(3, record.Duplicated, call, call), in(result), in(result)}, "", true},
		{"answered by hand", []*record.Event{out(call), change(3, record.AnsweredByHand), sideEvent(transport.In, transport.Injected, `{"jsonrpc":"2.0","id":5,"result":{"content":7}}`)}, "", true},
		{"injected response", []*record.Event{sideEvent(transport.In, transport.Injected, `{"by":"hand"}`)}, "", true},
		{"withheld request of mcptea", []*record.Event{sideEvent(transport.Out, transport.Withheld, `{"jsonrpc":"1.0"}`)}, "", true},
		{"response repaired by the user", []*record.Event{out(call), in(broken), change(4, record.Edited, result)}, "T026", true},
		{"response broken by a fault", []*record.Event{out(call), in(result), change(4, record.ByFault, broken)}, "", false},
		{"response dropped", []*record.Event{out(call), in(result), change(4, record.Dropped)}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(events []*record.Event) []lint.Finding {
				var found []lint.Finding
				feed := New(func(f lint.Finding) { found = append(found, f) }, lint.NoHeuristics())
				feed.Open(record.Header{Transport: "stdio"})
				at := time.Unix(1_800_000_000, 0)
				handshake := []*record.Event{
					out(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`),
					in(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`),
					out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
				}
				for i, e := range append(handshake, events...) {
					e.Time = at.Add(time.Duration(i) * time.Second)
					e.Frame.Time = e.Time
					feed.Event(e, int32(100+i)) // such as the lines of a file
				}
				return found
			}
			found := check(c.events)
			if c.rule == "" && len(found) > 0 || c.rule != "" && !fired(found, c.rule) {
				t.Errorf("found %v: %+v", ids(found), found)
			}
			var plain []*record.Event
			for _, e := range c.events {
				e.Frame.Side = transport.Both
				if e.Kind == record.KindFrame {
					plain = append(plain, e)
				}
			}
			if found := check(plain); c.wrong && len(found) == 0 {
				t.Error("without the change nothing is found: the case shows nothing")
			}
		})
	}
}

func sideEvent(dir transport.Direction, side transport.Side, text string) *record.Event {
	f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: dir, Ending: "\n", Note: transport.Note{Side: side}}
	return &record.Event{Kind: record.KindFrame, Frame: f}
}
