package sequence_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/sequence"
	"mcptea/record/store"
)

func TestSequence_Message(t *testing.T) {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	at := time.Unix(1_800_000_000, 0)
	for i, tc := range []struct {
		frame string
		in    bool
		label string
		arrow sequence.Arrow
		text  string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`, false, "tools/call echo", sequence.Request, ""},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":4,"message":"half"}}`, true, "notifications/progress 1/4 half", sequence.Notification, "1/4 half"},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}`, true, "result of tools/call echo (200 ms)", sequence.Response, "hello"},
		{`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"demo://x"}}`, false, "resources/read demo://x", sequence.Request, ""},
		{`{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"not found"}}`, true, "error -32002 not found of resources/read demo://x (100 ms)", sequence.Failure, "not found"},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fail"}}`, false, "tools/call fail", sequence.Request, ""},
		{`{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[]}}`, true, "tool error of tools/call fail (100 ms)", sequence.Failure, "no content"},
		{`{"jsonrpc":"2.0","id":"s","method":"elicitation/create","params":{"message":"?"}}`, true, "elicitation/create", sequence.Request, "message: ?"},
		{`{"jsonrpc":"2.0","id":"s","result":{"action":"decline"}}`, false, "result of elicitation/create (100 ms)", sequence.Response, "decline"},
		{`listening`, true, "not a message: not JSON (9 bytes)", sequence.Failure, "listening"},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, true, "result", sequence.Response, ""},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"much"}}`, false, "tools/call much", sequence.Request, ""},
		// Of a large result the beginning is read: how many blocks there are is not known.
		{`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"},{"type":"text","text":"` + strings.Repeat("x", 4<<10) + `"},{"type":"text","text":"three"}]}}`, true, "result of tools/call much (100 ms)", sequence.Response, "one  and more"},
	} {
		raw, dir := []byte(tc.frame), transport.Out
		if tc.in {
			dir = transport.In
		}
		row := s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: at.Add(time.Duration(i) * 100 * time.Millisecond), Dir: dir, Ending: "\n"})
		m, ok := sequence.NewReader(s).Message(row)
		if !ok || m.Label() != tc.label || m.Arrow() != tc.arrow || m.Text != tc.text {
			t.Errorf("%s: label %q, arrow %d, text %q", tc.frame, m.Label(), m.Arrow(), m.Text)
		}
	}
	if _, ok := sequence.NewReader(s).Message(99); ok {
		t.Error("a row that does not exist has a message")
	}
}

// What the policy of an app has blocked is said of the report of the browser.
func TestSequence_Message_Blocked(t *testing.T) {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	app := s.Beside(record.Connection{Transport: record.App})
	for frame, want := range map[string]string{
		`{"csp-report":{"document-uri":"http://127.0.0.1/","effective-directive":"connect-src","original-policy":"default-src 'none'","blocked-uri":"https://api.example/"}}`: "connect-src https://api.example/",
		`{"other":1}`: `{"other":1}`,
	} {
		raw := []byte(frame)
		row := app.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: time.Unix(1_800_000_000, 0), Dir: transport.In, EventName: "csp-violation"})
		if m, ok := sequence.NewReader(s).Message(row); !ok || m.Text != want || m.Quoted {
			t.Errorf("%s: %q", frame, m.Text)
		}
	}
}

// A frame has one text, whichever face shows it; a long one may be cut anywhere.
func TestSequence_WordsOf(t *testing.T) {
	for _, tc := range []struct {
		kind                       jsonrpc.Kind
		method, head               string
		noun, name, text, inQuotes string
	}{
		{jsonrpc.Request, "tools/call", `{"params":{"name":"echo","arguments":{"a":1}}}`, "tools/call", "echo", "a: 1", "a: 1"},
		{jsonrpc.Request, "tools/list", `{"params":{"_meta":{"x":1}}}`, "tools/list", "", "", ""},
		{jsonrpc.Notification, "notifications/message", `{"params":{"level":"warning","logger":"db","data":"slow\nquery"}}`, "log", "", "warning db: slow query", "warning db: slow query"},
		{jsonrpc.Notification, "notifications/message", `{"params":{"level":"info","data":{"a":1}}}`, "log", "", `info: {"a":1}`, `info: {"a":1}`},
		{jsonrpc.Notification, "notifications/message", `{"params":{"data":"x"}}`, "log", "", "x", "x"},
		{jsonrpc.Notification, "notifications/progress", `{"params":{"progressToken":"t","progress":1,"total":4,"message":"half"}}`, "progress", "", "1/4 half", "1/4 half"},
		{jsonrpc.Notification, "notifications/progress", `{"params":{"progress":1.0,"total":4e1}}`, "progress", "", "1/40", "1/40"},
		{jsonrpc.Notification, "notifications/cancelled", `{"params":{"requestId":7,"reason":"late"}}`, "cancelled", "", "7 late", "7 late"},
		{jsonrpc.Notification, "notifications/tasks/status", `{"params":{"taskId":"t1","status":"working","statusMessage":"half"}}`, "task", "", "working  half  t1", "working  half  t1"},
		{jsonrpc.Notification, "notifications/resources/updated", `{"params":{"uri":"demo://a"}}`, "updated", "", "demo://a", "demo://a"},
		{jsonrpc.Notification, "notifications/subscriptions/acknowledged", `{"params":{"notifications":{"toolsListChanged":true}}}`, "acknowledged", "", "toolsListChanged: true", "toolsListChanged: true"},
		{jsonrpc.Notification, "notifications/events/event", `{"params":{"eventId":"e1","name":"order.placed","data":{"cups":2},"cursor":"4"}}`, "events/event", "", "order.placed cups: 2", "order.placed cups: 2"},
		{jsonrpc.Notification, "notifications/events/error", `{"params":{"name":"a","error":{"code":-32001,"message":"gone"}}}`, "events/error", "", "-32001 gone", "-32001 gone"},
		{jsonrpc.Notification, "notifications/events/terminated", `{"params":{"name":"a"}}`, "events/terminated", "", "name: a", "name: a"},
		{jsonrpc.Notification, "notifications/events/heartbeat", `{"params":{"cursor":"4"}}`, "events/heartbeat", "", "cursor: \"4\"", "cursor: \"4\""},
		{jsonrpc.Notification, "notifications/mine", `{"params":{"a":1}}`, "notifications/mine", "", "a: 1", "a: 1"},
		{jsonrpc.Response, "tools/call", `{"result":{"content":[{"type":"text","text":"hi"}]}}`, "", "", "hi", `"hi"`},
		{jsonrpc.Response, "tools/list", `{"result":{"tools":[{},{}]}}`, "", "", "2 tools", "2 tools"},
		{jsonrpc.ErrorResponse, "tools/call", `{"error":{"code":-1,"message":"bro`, "", "", "bro", "bro"},
		{jsonrpc.ErrorResponse, "", `{"error":{"code":-1}}`, "", "", `{"code":-1}`, `{"code":-1}`},
		{jsonrpc.Batch, "", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "batch", "", "ping 1", "ping 1"},
		{jsonrpc.Invalid, "", `listening`, "", "", "listening", `"listening"`},
		{store.KindExchange, "", `{"method":"POST","url":"https://as.example/token"}`, "POST", "/token", "as.example", "as.example"},
	} {
		w := sequence.WordsOf(tc.kind, tc.method, []byte(tc.head), jsonrpc.FaultNone)
		if w.Noun != tc.noun || w.Name != tc.name || w.Text != tc.text || w.Shown() != tc.inQuotes {
			t.Errorf("%s %s: %+v, shown %s", tc.method, tc.head, w, w.Shown())
		}
	}
}

// No face shows the beginning of a value that mcptea does not read.
func TestSequence_WordsOf_TooDeep(t *testing.T) {
	for _, tc := range []struct {
		kind                     jsonrpc.Kind
		method, head, noun, name string
	}{
		{kind: jsonrpc.Request, method: "tools/call", head: `{"params":{"name":"echo","arguments":{"a":1}}}`, noun: "tools/call", name: "echo"},
		{kind: jsonrpc.Notification, method: "notifications/message", head: `{"params":{"data":"x"}}`, noun: "log"},
		{kind: jsonrpc.Response, method: "tools/call", head: `{"result":{"content":[{"type":"text","text":"hi"}]}}`},
		{kind: jsonrpc.ErrorResponse, head: `{"error":{"code":-1,"message":"bro`},
	} {
		w := sequence.WordsOf(tc.kind, tc.method, []byte(tc.head), jsonrpc.FaultTooDeep)
		if w.Noun != tc.noun || w.Name != tc.name || w.Shown() != "not read: nested deeper than 1,000 levels" {
			t.Errorf("%s %s: %+v, shown %s", tc.method, tc.head, w, w.Shown())
		}
	}
	if w := sequence.WordsOf(jsonrpc.Invalid, "", []byte("[[[["), jsonrpc.FaultTooDeep); w.Shown() != `"[[[["` {
		t.Errorf("what is not a message is %s", w.Shown())
	}
	m := sequence.Message{Kind: jsonrpc.Response, Fault: jsonrpc.FaultTooDeep, Method: "tools/call", Words: sequence.WordsOf(jsonrpc.Response, "tools/call", nil, jsonrpc.FaultTooDeep)}
	if got := m.Label(); got != "result of tools/call, not read: nested deeper than 1,000 levels" {
		t.Errorf("the label is %q", got)
	}
}

// A text of several lines has its first line where the others have no room; a lone member is told by its value.
func TestWords_FirstLineAndOnlyMember(t *testing.T) {
	result := func(text string) string {
		return `{"result":{"content":[{"type":"text","text":` + jsonrpc.Quote(text) + `}]}}`
	}
	for _, tc := range []struct{ head, first string }{
		{result("first\nsecond\nthird\n"), `"first" …`},
		{result("first\r\nsecond"), `"first" …`},
		{result("one line\n"), ""},
		{`{"result":{"city":"Lisbon","days":3}}`, ""},
	} {
		w := sequence.WordsOf(jsonrpc.Response, "tools/call", []byte(tc.head), jsonrpc.FaultNone)
		if got, ok := w.FirstLine(); got != tc.first || ok != (tc.first != "") {
			t.Errorf("%s: %q, %v; want %q", tc.head, got, ok, tc.first)
		}
	}
	for _, tc := range []struct{ arguments, only string }{
		{`{"number":"A17"}`, "A17"},
		{`{"number":"A17","_meta":{}}`, "A17"},
		{`{"number":"A17","days":3}`, ""},
		{`{"number":"A1`, ""}, // its end is not known
	} {
		w := sequence.WordsOf(jsonrpc.Request, "tools/call", []byte(`{"params":{"name":"find","arguments":`+tc.arguments+`}}`), jsonrpc.FaultNone)
		if got, ok := w.Only(); ok != (tc.only != "") || ok && got != tc.only {
			t.Errorf("%s: %q, %v; want %q", tc.arguments, got, ok, tc.only)
		}
	}
}

// Arguments and results are words, not JSON: a text that is JSON too. A string that reads as another value
// has its quotation marks.
func TestSequence_ValuesInWords(t *testing.T) {
	text := func(s string) string {
		return `{"result":{"content":[{"type":"text","text":` + jsonrpc.Quote(s) + `}]}}`
	}
	for _, tc := range []struct {
		kind         jsonrpc.Kind
		method, head string
		want         string
	}{
		{jsonrpc.Request, "tools/call", `{"params":{"name":"search","arguments":{"q":"needle","limit":5,"deep":true,"none":null,"empty":""}}}`, `q: needle, limit: 5, deep: true, none: null, empty: ""`},
		{jsonrpc.Request, "tools/call", `{"params":{"name":"x","arguments":{"n":"5","t":"true","of":{"a":{"b":{"c":1}}},"tags":["a","b"],"ids":[1,2,3,4],"rows":[{"a":1},{"a":2}]}}}`, `n: "5", t: "true", of: {a: {b: {1}}}, tags: [a, b], ids: 4 values, rows: 2 rows`},
		{jsonrpc.Request, "tools/call", `{"params":{"name":"x","arguments":{"a":1,"q":"need`, "a: 1, q: need"},
		{jsonrpc.Request, "initialize", `{"params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"mcptea","version":"1"}}}`, "2025-11-25, mcptea"},
		{jsonrpc.Response, "completion/complete", `{"result":{"completion":{"values":["go"],"hasMore":false},"_meta":{"x":1}}}`, "1 value: go"},
		{jsonrpc.Response, "completion/complete", `{"result":{"completion":{"values":["go","rust"],"total":12}}}`, "2 of 12 values: go, rust"},
		{jsonrpc.Response, "completion/complete", `{"result":{"completion":{"values":[]}}}`, "no values"},
		{jsonrpc.Response, "tools/call", text(`[{"id": 1, "title": "a"},{"id": 2, "title": "b"}]`), "2 rows"},
		{jsonrpc.Response, "tools/call", text(`{"books":[{"id":1},{"id":2},{"id":3}],"page":1}`), "books: 3 rows, page: 1"},
		{jsonrpc.Response, "tools/call", text(`[1,"a"]`), "2 values: 1, a"},
		{jsonrpc.Response, "tools/call", text(`[INFO] done`), `"[INFO] done"`},
		{jsonrpc.Response, "tools/call", text(`{name} is gone`), `"{name} is gone"`},
		{jsonrpc.Response, "tools/call", text(`42`), `"42"`},
		{jsonrpc.Response, "tools/call", `{"result":{"content":[],"structuredContent":{"total":3}}}`, "total: 3"},
		{jsonrpc.Response, "tools/call", `{"result":{"content":[]}}`, "no content"},
		{jsonrpc.Response, "tools/list", `{"result":{"tools":[{},{}],"nextCursor":"x"}}`, "2 tools, more"},
		{jsonrpc.Response, "mine", `{"result":{"_meta":{"io.modelcontextprotocol/x":1},"done":true}}`, "done: true"},
		{jsonrpc.Response, "elicitation/create", `{"result":{"action":"accept","content":{"name":"Ada"}}}`, "accept  name: Ada"},
	} {
		if w := sequence.WordsOf(tc.kind, tc.method, []byte(tc.head), jsonrpc.FaultNone); w.Shown() != tc.want {
			t.Errorf("%s: %s, want %s", tc.head, w.Shown(), tc.want)
		}
	}
	// The rows of a long result are counted to the last one.
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	row := `{"id":1,"title":"` + strings.Repeat("x", 100) + `"}`
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + jsonrpc.Quote("["+strings.Repeat(row+",", 99)+row+"]") + `}]}}`)
	at := s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: time.Unix(1_800_000_000, 0), Dir: transport.In})
	if m, _ := sequence.NewReader(s).Message(at); m.Text != "100 rows" {
		t.Errorf("a long list is %q", m.Text)
	}
}
