package failure

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/record"
	"mcptea/record/store"
)

// wired is a store with an HTTP session in it: a list that was answered, with a stray
// response after it, and a call.
func wired(t *testing.T, call transport.Exchange) (f Facts) {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	now := started
	frame := func(dir transport.Direction, exchange uint32, text string) {
		now = now.Add(time.Millisecond)
		s.Append(transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: now, Dir: dir, Exchange: exchange})
	}
	json := http.Header{"Content-Type": {"application/json"}}
	list := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: web.URL, Start: now, Phase: transport.ExchangeDone, Status: 200, ResponseHeader: json}
	s.Exchange(&list)
	frame(transport.Out, 1, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	frame(transport.In, 1, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	frame(transport.In, 1, `{"jsonrpc":"2.0","id":99,"result":{}}`)
	call.ID, call.Purpose, call.Method, call.URL, call.Start = 2, "message", "POST", web.URL, now
	frame(transport.Out, 2, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)
	s.Exchange(&call)
	f = Facts{target: web, Connected: true}
	f.wire.read(s, started)
	return f
}

// ofCall is an error of the call of [wired].
func ofCall(err error) error {
	return &client.RequestError{ID: jsonrpc.IntID(2), Method: "tools/call", Ref: transport.RefTo(3, 0), Err: err}
}

// The evidence of a failure is of the exchange that failed, and of no other.
func TestExplain_EvidenceOfItsExchange(t *testing.T) {
	status := &transport.StatusError{Method: "POST", URL: web.URL, Status: 502}
	for name, tt := range map[string]struct {
		call transport.Exchange
		err  error
		want string // the line about HTTP; empty for none
	}{
		"a call without a response": {transport.Exchange{}, &client.TimeoutError{Method: "tools/call", After: time.Second}, ""},
		"a call with a stream":      {transport.Exchange{Status: 200, ResponseHeader: http.Header{"Content-Type": {"text/event-stream"}}}, &client.TimeoutError{Method: "tools/call"}, "→ 200 after 0 µs, text/event-stream"},
		"a call with a status":      {transport.Exchange{Status: 502}, status, ""}, // the sentence has it
		"a body without a response": {transport.Exchange{Status: 202}, &mcphttp.LostError{ID: jsonrpc.IntID(2), Err: mcphttp.ErrNoAnswer}, "→ 202"},
		"an error response":         {transport.Exchange{Status: 200}, &client.RPCError{Code: jsonrpc.CodeOf(-32603), Message: "no"}, ""},
	} {
		text := Explain(ofCall(tt.err), wired(t, tt.call)).Text()
		if !strings.Contains(text, tt.want) || tt.want == "" && strings.Contains(text, "→") || strings.Contains(text, "application/json") {
			t.Errorf("%s: want %q in\n%s", name, tt.want, text)
		}
		if strings.Contains(text, "99") {
			t.Errorf("%s: what came before the request is told as its cause\n%s", name, text)
		}
	}
}

// A response with another id is evidence when it came after the request.
func TestExplain_OtherIDSinceTheRequest(t *testing.T) {
	f := wired(t, transport.Exchange{})
	f.wire.frames[0].at = started.Add(time.Hour)
	text := Explain(ofCall(&client.TimeoutError{Method: "tools/call"}), f).Text()
	if !strings.Contains(text, "responses with other ids arrived") || !strings.Contains(text, "response id 99") {
		t.Errorf("a response that came after the request is not told:\n%s", text)
	}
}

// The explanation of a call that failed is about that call, also while another one is pending: over
// stdio it names the response with another id, over HTTP the exchange, in a session and in its
// recording.
func TestExplain_OfWhichCall(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		for _, two := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "calls.mcptea.jsonl")
			s, err := store.Create(store.Options{Path: path}, record.Header{})
			if err != nil {
				t.Fatal(err)
			}
			now := started
			frame := func(dir transport.Direction, exchange uint32, text string) int32 {
				now = now.Add(time.Second)
				f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: now, Dir: dir, Ending: "\n"}
				if over == "http" {
					f.Exchange, f.Ending = exchange, ""
					x := transport.Exchange{ID: exchange, Purpose: "message", Method: "POST", URL: web.URL, Start: now, Status: 200 + int(exchange)}
					for _, x.Phase = range transport.ExchangePhases() {
						s.Exchange(&x)
					}
				}
				return s.Append(f)
			}
			call := frame(transport.Out, 1, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}`)
			frame(transport.In, 1, `{"jsonrpc":"2.0","id":99,"result":{}}`)
			if two {
				frame(transport.Out, 2, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"other"}}`)
			}
			failed := &client.RequestError{
				ID: jsonrpc.IntID(2), Method: "tools/call", Ref: transport.RefTo(call, 0), Err: &client.TimeoutError{Method: "tools/call", After: time.Minute},
			}
			check := func(of *store.Store, name string) {
				f := Facts{target: command, Connected: true}
				if over == "http" {
					f.target = web
				}
				f.wire.read(of, started)
				text := Explain(failed, f).Text()
				if !strings.Contains(text, "responses with other ids arrived") || !strings.Contains(text, "response id 99") || strings.Contains(text, "still working on it") {
					t.Errorf("%s over %s, with another call %t: the other id is not told:\n%s", name, over, two, text)
				}
				if over == "http" && (!strings.Contains(text, "→ 201") || strings.Contains(text, "→ 202")) {
					t.Errorf("%s, with another call %t: the evidence is of another exchange:\n%s", name, two, text)
				}
			}
			check(s, "live")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			opened, err := store.Open(path)
			if err == nil {
				err = opened.Load(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			check(opened, "opened")
			_ = opened.Close()
		}
	}
}

// An error that does not say of which request it is has no evidence of the exchange of another one.
func TestExplain_NoExchangeWithoutRequest(t *testing.T) {
	for name, err := range map[string]error{
		"closed": &client.ClosedError{Method: "tools/call", Err: client.ErrClosed},
		"lost":   &mcphttp.LostError{ID: jsonrpc.IntID(7), Err: mcphttp.ErrNoAnswer},
	} {
		if text := Explain(err, wired(t, transport.Exchange{Status: 502, Err: "connection reset by peer"})).Text(); strings.Contains(text, "502") {
			t.Errorf("%s: the evidence is of another exchange:\n%s", name, text)
		}
	}
}

// A session that the server does not know is gone, with whatever status it says so: a cause must
// not contradict the body that is shown beside it.
func TestExplain_SessionIsGoneByTheBody(t *testing.T) {
	for _, status := range []int{400, 403, 410, 500, 503} {
		for message, gone := range map[string]bool{"Session not found": true, "Unknown session abc": true, "the session has expired": true, "the kettle is descaling": false} {
			err := &transport.StatusError{
				Method: "POST", URL: web.URL, Status: status,
				Body: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"` + message + `"}}`),
			}
			f := Facts{target: web, Connected: true}
			f.wire.exchanges = []transport.Exchange{{ID: 1, Method: "POST", URL: web.URL, Status: status, RequestHeader: http.Header{"Mcp-Session-Id": {"abc"}}}}
			text := Explain(err, f).Text()
			if gone != strings.Contains(text, "The server's message says that the session is gone") {
				t.Errorf("%d %q:\n%s", status, message, text)
			}
			if strings.Contains(text, "overloaded") || strings.Contains(text, "starts with initialize") {
				t.Errorf("%d %q: the cause is another one than the body says:\n%s", status, message, text)
			}
		}
	}
}

// One answer for all requests, as of a gateway that was not configured, is named as such; two
// responses that differ are not.
func TestExplain_CannedResponse(t *testing.T) {
	for second, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:      "sends the same response to all",
		`{"jsonrpc":"2.0","id":7,"result":{"a":1}}`: "must equal that of its request.",
	} {
		s, err := store.Create(store.Options{}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		now := started
		var call int32
		for i, text := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`, second,
		} {
			now = now.Add(time.Millisecond)
			f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: now, Dir: transport.Direction(i % 2), Ending: "\n"}
			if row := s.Append(f); i == 2 {
				call = row
			}
		}
		f := Facts{target: command, Connected: true}
		f.wire.read(s, started)
		text := Explain(&client.RequestError{
			ID: jsonrpc.IntID(2), Method: "tools/call", Ref: transport.RefTo(call, 0), Err: &client.TimeoutError{Method: "tools/call", After: time.Minute},
		}, f).Text()
		if !strings.Contains(text, want) || !strings.Contains(text, "the request has 2.") {
			t.Errorf("%s: %q is missing in\n%s", second, want, text)
		}
		_ = s.Close()
	}
}
