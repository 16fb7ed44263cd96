package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

func TestSend_JSONResponse(t *testing.T) {
	pretty := "\xef\xbb\xbf {\n \"jsonrpc\": \"2.0\", \"id\": 3, \"result\": {}\n}\r\n"
	got := make(chan *http.Request, 1)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		req.Header.Set("Test-Body", string(text))
		got <- req
		transporttest.Respond(200, "application/json; charset=utf-8", pretty)(w, req)
	})
	r.mustSend(call)
	f := r.WantFrame(t, pretty)
	if f.Envelope.Kind != jsonrpc.Response || f.Exchange != 1 || f.Truncated || f.Ending != "" || f.Time.IsZero() {
		t.Errorf("frame %+v", f)
	}
	if out := transporttest.Receive(t, r.Out, "the outgoing frame"); string(out.Bytes) != call || out.Exchange != 1 || out.Envelope.Kind != jsonrpc.Request {
		t.Errorf("outgoing frame %+v", out)
	}
	req := transporttest.Receive(t, got, "the request")
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Test-Body": call,
		"Mcp-Protocol-Version": "", "Mcp-Session-Id": "", "Accept-Encoding": "", "User-Agent": "mcptea",
	} {
		if req.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, req.Header.Get(name), want)
		}
	}
	r.finished()
	r.nothingMore()
}

func TestSend_ExchangeReports(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Set-Cookie", "s=topsecret")
		transporttest.Respond(200, "application/json", answer)(w, req)
	}, func(c *Config) {
		c.URL = strings.Replace(c.URL, "http://", "http://me:hunter2@", 1) + "?token=hunter2&a=b"
		c.Header = http.Header{"authorization": {"Bearer topsecret"}, "x-Odd-Name": {"1"}}
	})
	r.mustSend(call)
	r.finished()
	all := r.Reports(1)
	if len(all) != 3 {
		t.Fatalf("%d reports, want 3", len(all))
	}
	for i, e := range all {
		if e.Phase != transport.ExchangePhase(i) || e.Purpose != "message" || e.Method != "POST" || e.Sent != int64(len(call)) || e.Err != "" {
			t.Errorf("report %d: %+v", i, e)
		}
	}
	if s := fmt.Sprintf("%+v", all); strings.Contains(s, "topsecret") || strings.Contains(s, "hunter2") {
		t.Errorf("a secret is in the reports: %s", s)
	}
	//nolint:staticcheck // the spelling that was asked for is the point
	if h := all[0].RequestHeader; h["x-Odd-Name"] == nil || !strings.HasPrefix(h["authorization"][0], "Bearer ") || len(h["Authorization"]) > 0 {
		t.Errorf("request headers %v", h)
	}
	if all[0].Status != 0 || all[0].ResponseHeader != nil || all[1].Status != 200 || all[1].FirstByte <= 0 {
		t.Errorf("headers phase: %+v", all[1])
	}
	if end := all[2]; end.Received != int64(len(answer)) || end.Took < end.FirstByte {
		t.Errorf("end: %+v", end)
	}
}

func TestSend_StreamResponse(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		event(w, ": hello")
		event(w, "event: message", "id: a-1", "data: "+note)
		<-next
		event(w, "event: odd", "data: "+note)
		event(w, "data: "+answer)
	})
	r.mustSend(call)
	if f := r.WantFrame(t, note); f.EventID != "a-1" || f.EventName != "message" || f.Exchange != 1 {
		t.Errorf("frame %+v", f)
	}
	close(next) // the first event came before the second was written
	if f := r.WantFrame(t, note); f.EventName != "odd" || f.EventID != "" {
		t.Errorf("frame %+v", f)
	}
	r.WantFrame(t, answer)
	if e := r.finished(); e.Err != "" || e.Received == 0 {
		t.Errorf("exchange %+v", e)
	}
	r.nothingMore()
}

func TestHeaders_SessionAndVersion(t *testing.T) {
	const id = "A!~z-verbatim"
	type seen struct{ method, session, version string }
	got := make(chan seen, 10)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		got <- seen{req.Method, req.Header.Get("Mcp-Session-Id"), req.Header.Get("MCP-Protocol-Version")}
		switch {
		case req.Method == http.MethodDelete:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case bytes.Contains(text, []byte("initialize\"")):
			w.Header().Set("mcp-session-id", id)
			event(w, `data: {"jsonrpc":"2.0","id":0,"result":{}}`)
		default:
			w.Header().Set("Mcp-Session-Id", "not at the handshake")
			w.WriteHeader(http.StatusAccepted)
		}
	})
	steps := []struct {
		do   func()
		want seen
	}{
		{func() { r.mustSend(note) }, seen{"POST", "", ""}},
		{func() { r.mustSend(hello) }, seen{"POST", "", ""}},
		{func() { r.mustSend(note) }, seen{"POST", id, ""}},
		{func() { r.Negotiated("2025-03-26"); r.mustSend(note) }, seen{"POST", id, ""}},
		{func() { r.Negotiated("2025-06-18"); r.mustSend(note) }, seen{"POST", id, "2025-06-18"}},
		{func() { r.mustSend(hello) }, seen{"POST", "", ""}},
		{func() { r.close() }, seen{"DELETE", id, "2025-06-18"}},
	}
	for i, s := range steps {
		s.do()
		if req := transporttest.Receive(t, got, "the request"); req != s.want {
			t.Errorf("step %d: %v, want %v", i, req, s.want)
		}
	}
	if end := r.Reports(7); len(end) != 3 || end[2].Purpose != "end session" || end[2].Err != "" || strings.Contains(fmt.Sprint(end), id) {
		t.Errorf("the end of the session: %+v", end)
	}
	if r.Err() != nil {
		t.Errorf("Err: %v", r.Err())
	}
	transporttest.Receive(t, r.Streamable.Done(), "Done")
	if err := r.send(note); !errors.Is(err, errClosed) {
		t.Errorf("Send after Close: %v", err)
	}
}

func TestHeaders_UserOverrides(t *testing.T) {
	got := make(chan *http.Request, 1)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) { got <- req; w.WriteHeader(202) }, func(c *Config) {
		c.Header = http.Header{"ACCEPT": {"text/plain"}, "Content-Type": nil, "user-agent": {"me"}, "Host": {"other.example"}, "Both": {"user"}}
		c.PerRequest = func(frame []byte, e jsonrpc.Envelope) http.Header {
			return http.Header{"Mcp-Method": {e.MethodName(frame)}, "Both": {"request"}}
		}
	})
	r.mustSend(note)
	req := transporttest.Receive(t, got, "the request")
	if h := req.Header; fmt.Sprint(h["Accept"], h["Content-Type"], h["User-Agent"], h["Both"], h["Mcp-Method"]) !=
		"[text/plain] [] [me] [user] [notifications/progress]" || req.Host != "other.example" {
		t.Errorf("headers %v, host %s", h, req.Host)
	}
}

func TestSend_OtherResponses(t *testing.T) {
	html := "<!doctype html><title>Log in</title>"
	refused := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"},"id":null}`
	tests := []struct {
		name    string
		handler http.HandlerFunc
		frame   string   // that must be delivered
		says    []string // the error of Send
		lost    []string // what the one who waits is told
	}{
		{"202 to a request", transporttest.Respond(202, "", ""), "", nil, []string{"request 3", "202", "the body is empty"}},
		{"empty 200", transporttest.Respond(200, "", ""), "", nil, []string{"200", "the body is empty"}},
		{"empty JSON 200", transporttest.Respond(200, "application/json", ""), "", nil, []string{"the body is empty"}},
		{"blank text", transporttest.Respond(200, "text/plain", "\r\n"), "", nil, []string{"the body is empty"}},
		{"answer to something else", transporttest.Respond(200, "application/json", refused), refused, nil, []string{"the body has no response to it"}},
		{"HTML", transporttest.Respond(200, "text/html; charset=utf-8", html), html, []string{"text/html", `Body: HTML page "Log in"`, "200"}, nil},
		{"JSON of no type", transporttest.Respond(200, "application/octet-stream", answer), answer, nil, nil},
		{"400 with JSON-RPC", transporttest.Respond(400, "application/json", refused), refused, []string{"400 Bad Request", "-32600"}, nil},
		{"404 without session", transporttest.Respond(404, "text/plain", "404 page not found"), "", []string{"404 Not Found", "page not found"}, nil},
		{"406", transporttest.Respond(406, "", ""), "", []string{"406 Not Acceptable"}, nil},
		{"415", transporttest.Respond(415, "", ""), "", []string{"415"}, nil},
		{"HTML 502", transporttest.Respond(502, "text/html", html), "", []string{"502 Bad Gateway", "Log in"}, nil},
		{
			"stream without answer", func(w http.ResponseWriter, _ *http.Request) { event(w, "data: "+note) }, note, nil,
			[]string{"request 3", "ended without a response", "cannot be resumed"},
		},
		{
			"broken event", func(w http.ResponseWriter, _ *http.Request) { event(w, "data: "+answer, "data: [") }, answer + "\n[", nil,
			[]string{"request 3"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.handler)
			err := r.send(call)
			switch {
			case tt.says == nil && err != nil:
				t.Errorf("Send: %v", err)
			case tt.says != nil:
				transporttest.WantError(t, err, tt.says...)
			}
			if tt.frame != "" {
				r.WantFrame(t, tt.frame)
			}
			if tt.lost != nil {
				r.loses(jsonrpc.IDOf("3"), tt.lost...)
			}
			r.finished()
			r.nothingMore()
		})
	}
}

func TestSend_StatusError(t *testing.T) {
	long := strings.Repeat("x", 10000)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://a.example/m"`)
		transporttest.Respond(401, "text/plain", long)(w, req)
	})
	var status *transport.StatusError
	if err := r.send(call); !errors.As(err, &status) {
		t.Fatalf("Send: %v", err)
	}
	if status.Status != 401 || len(status.Body) != 4096 || !strings.Contains(status.Header.Get("WWW-Authenticate"), "resource_metadata") {
		t.Errorf("status error %+v", status)
	}
	if errors.Is(status, ErrSessionExpired) {
		t.Error("401 is no expired session")
	}
}

func TestSend_SessionExpired(t *testing.T) {
	for body, expired := range map[string]bool{
		"":          true,
		"Not Found": true,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`: true,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Session not found"}}`:    true,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}`:     false,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool"}}`:         false,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"Resource not found"}}`:   false,
		`{"jsonrpc":"2.0","id":3,"result":{}}`:                                              false,
	} {
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Header.Get("Mcp-Session-Id") != "" {
				transporttest.Respond(404, "application/json", body)(w, req)
				return
			}
			w.Header().Set("Mcp-Session-Id", "short-lived")
			transporttest.Respond(200, "application/json", `{"jsonrpc":"2.0","id":0,"result":{}}`)(w, req)
		})
		r.mustSend(hello)
		err := r.send(call)
		var status *transport.StatusError
		if errors.Is(err, ErrSessionExpired) != expired || !errors.As(err, &status) {
			t.Errorf("%q: %v", body, err)
		}
		r.mustSend(hello) // a new session, without the old id
	}
}

func TestSend_SessionOfResultWithStatus(t *testing.T) {
	for _, body := range []struct{ text, session string }{
		{`{"jsonrpc":"2.0","id":0,"result":{}}`, "kept"}, {`{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"m"}}`, ""},
	} {
		got := ""
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			got = req.Header.Get("Mcp-Session-Id")
			w.Header().Set("Mcp-Session-Id", "kept")
			transporttest.Respond(500, "application/json", body.text)(w, req)
		})
		_ = r.send(hello) // the client goes on if a result has come
		_ = r.send(call)
		if got != body.session {
			t.Errorf("after %s the session id is %q", body.text, got)
		}
	}
}

func TestSend_LateResponse(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-next
		transporttest.Respond(200, "application/json", answer)(w, req)
		<-next
	})
	frame := []byte(call)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := r.Send(ctx, transport.Outgoing{Bytes: frame})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Send: %v", err)
	}
	transporttest.WantError(t, err, "no response to POST", r.url)
	copy(frame, "overwritten")
	close(next)
	r.WantFrame(t, answer)
	r.finished()
}

func TestSend_LateFailureLost(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { <-next; w.WriteHeader(503) })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := r.Send(ctx, transport.Outgoing{Bytes: []byte(call)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Send: %v", err)
	}
	close(next)
	r.loses(jsonrpc.IDOf("3"), "503")
}

func TestSend_IncompleteBody(t *testing.T) {
	breaks := func(contentType string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "data: [1,")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler) // the last chunk never comes
		}
	}
	for contentType, want := range map[string]string{"application/json": "data: [1,", "text/event-stream": "[1,"} {
		r := newRig(t, breaks(contentType, 200))
		r.mustSend(call)
		if f := r.WantFrame(t, want); !f.Truncated {
			t.Errorf("%s: frame %+v is not torn", contentType, f)
		}
		if err := r.loss(jsonrpc.IDOf("3"), "middle of the body"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the cause is lost: %v", err)
		}
		if e := r.finished(); e.Err == "" {
			t.Errorf("exchange %+v has no error", e)
		}
	}
	r := newRig(t, breaks("text/html", 200))
	transporttest.WantError(t, r.send(call), "text/html", "middle of the body")
	r = newRig(t, breaks("application/json", 500))
	transporttest.WantError(t, r.send(call), "500")
}

func TestSend_LargeResponse(t *testing.T) {
	large := `{"jsonrpc":"2.0","id":3,"result":"` + strings.Repeat("x", 50<<20) + `"}`
	for _, chunked := range []bool{false, true} {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !chunked {
				w.Header().Set("Content-Length", fmt.Sprint(len(large)))
			}
			_, _ = io.WriteString(w, large)
		})
		r.mustSend(call)
		if f := transporttest.Receive(t, r.In, "the answer"); string(f.Bytes) != large || f.Truncated {
			t.Errorf("%d bytes, want %d", len(f.Bytes), len(large))
		}
	}
}

func TestSend_Concurrent(t *testing.T) {
	const calls = 8
	var all sync.WaitGroup
	all.Add(calls)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		all.Done()
		all.Wait() // no response before all requests have arrived
		id := jsonrpc.Scan(text).ID.Of(text)
		transporttest.Respond(200, "application/json", string(jsonrpc.EncodeResult(id.ID(), nil)))(w, req)
	})
	var sent sync.WaitGroup
	for i := range calls {
		sent.Go(func() {
			if err := r.send(string(jsonrpc.EncodeRequest(jsonrpc.IntID(int64(i)), "ping", nil))); err != nil {
				t.Error(err)
			}
		})
	}
	sent.Wait()
	ids := map[string]uint32{}
	for range calls {
		f := transporttest.Receive(t, r.In, "an answer")
		ids[f.Envelope.ID.Of(f.Bytes).String()] = f.Exchange
	}
	if len(ids) != calls {
		t.Errorf("answers to %v", ids)
	}
}

func TestSend_Batch(t *testing.T) {
	r := newRig(t, transporttest.Respond(200, "application/json", `[{"jsonrpc":"2.0","id":"a","result":{}}]`))
	r.mustSend(`[{"jsonrpc":"2.0","id":"a","method":"x"},{"jsonrpc":"2.0","id":7,"method":"x"},` + note + `]`)
	r.loses(jsonrpc.IDOf("7"), "no response to it")
	r.finished()
	if f := transporttest.Receive(t, r.In, "the batch"); f.Envelope.Kind != jsonrpc.Batch {
		t.Errorf("frame %+v", f)
	}
	r.nothingMore()
}

// TestSend_BodyOfANotification has servers that respond to a notification with a body that is not a
// message: no body is expected there, so the connection continues. A request fails with it.
func TestSend_BodyOfANotification(t *testing.T) {
	for _, contentType := range []string{"", "text/plain", "text/html", "application/octet-stream"} {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil // net/http would guess one
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			_, _ = io.WriteString(w, "accepted")
		})
		r.mustSend(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		r.WantFrame(t, "accepted")
		r.mustSend(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		r.WantFrame(t, "accepted")
		if err := r.send(call); err == nil {
			t.Errorf("%q: the body is the response to a request", contentType)
		}
	}
}
