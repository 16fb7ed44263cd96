package filter

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// TestPropose_MatchesItsFrame proposes a filter for each kind of frame of a session.
func TestPropose_MatchesItsFrame(t *testing.T) {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	add := func(dir transport.Direction, text, event string) int32 {
		b := []byte(text)
		row := s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: dir, Time: time.Now(), Ending: "\n", EventName: event})
		return row
	}
	for _, c := range []struct {
		name  string
		dir   transport.Direction
		frame string
		event string
		want  string
	}{
		{"request", transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"x"},"name":"list_notes"}}`, "", "tool:list_notes dir:out"},
		{"response", transport.In, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "", "tool:list_notes dir:in"},
		{"second response", transport.In, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "", "tool:list_notes dir:in"},
		{"call of a tool with a blank", transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list \"notes"}}`, "", `tool:"list ""notes" dir:out`},
		{"its error", transport.In, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}`, "", `tool:"list ""notes" dir:in`},
		{"call of a tool with control bytes", transport.Out, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a\u001bb"}}`, "", "method:tools/call dir:out"},
		{"call without a name", transport.Out, `{"jsonrpc":"2.0","id":4,"method":"tools/call"}`, "", "method:tools/call dir:out"},
		{"other request", transport.Out, `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"name":"x"}}`, "", "method:resources/read dir:out"},
		{"its response", transport.In, `{"jsonrpc":"2.0","id":5,"result":{}}`, "", "method:resources/read dir:in"},
		{"notification", transport.Out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "method:notifications/initialized dir:out"},
		{"progress", transport.In, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`, "", "method:notifications/progress dir:in"},
		{"server request", transport.In, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`, "", "method:sampling/createMessage dir:in"},
		{"its response", transport.Out, `{"jsonrpc":"2.0","id":1,"result":{}}`, "", "method:sampling/createMessage dir:out"},
		{"strange method", transport.Out, `{"jsonrpc":"2.0","id":6,"method":"a b*"}`, "", `method:"a b*" dir:out`},
		{"method with a line break", transport.Out, `{"jsonrpc":"2.0","id":7,"method":"a\nb"}`, "", "kind:request dir:out"},
		{"batch", transport.Out, `[{"jsonrpc":"2.0","id":8,"method":"ping"}]`, "", "kind:batch dir:out"},
		{"unmatched response", transport.In, `{"jsonrpc":"2.0","id":99,"result":{}}`, "", "kind:response dir:in"},
		{"unmatched error", transport.In, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, "", "kind:error dir:in"},
		{"invalid", transport.In, `listening on 3000`, "", "kind:invalid dir:in"},
		{"event", transport.In, `/message`, "endpoint", "method:endpoint dir:in"},
	} {
		row := add(c.dir, c.frame, c.event)
		text := Propose(s, row)
		if text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %q: %v", c.name, text, err)
			continue
		}
		found := false
		for _, i := range f.Rows(s) {
			found = found || i == row
		}
		if !found {
			t.Errorf("%s: %q does not pass the frame", c.name, text)
		}
	}
	exit := int32(s.Snapshot().Rows)
	s.Process(transport.ProcessEvent{What: transport.ProcessExited, Time: time.Now()}, "exited")
	for _, row := range []int32{exit, -1, 999} {
		if text := Propose(s, row); text != "" {
			t.Errorf("row %d: %q is proposed", row, text)
		}
	}
}

// A value that no frame has is told from one that was mistyped.
func TestSuggest_ValuesLikeProperties(t *testing.T) {
	values := func(property string) []string {
		return map[string][]string{"tool": {"search", "delete note"}, "method": {"tools/call"}}[property]
	}
	for text, want := range map[string]string{
		"tool:serch": "tool:search", "x -tool:serch": "-tool:search", "tool:search": "", "tool:s*": "", "tool:zzzzzz": "",
		"method:tool/call": "method:tools/call", "status:eror": "status:error", `tool:delete_note`: `tool:"delete note"`, "serch": "", "nothing:serch": "",
	} {
		if got := Frames.Suggest(text, values); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
