package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		actors[name].play()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestHandshake(t *testing.T) {
	s := script(friendly(nil))
	tap := &checks{}
	c := NewOver(s, tap, Config{Name: "test", Version: "0", Era: revision.EraHandshake})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	h := c.Handshake()
	if h.Revision != revision.R20251125 || h.Server.String() != "fake 1" || h.Instructions != "hi" || !h.HasCapability("tools", "listChanged") || h.HasCapability("prompts") {
		t.Errorf("got %+v", h)
	}
	if !bytes.Contains(h.Result, []byte(`"x-new":{"y":1}`)) {
		t.Error("an unknown capability is lost")
	}
	if s.header != "2025-11-25" {
		t.Error("the transport did not get the revision")
	}
	want := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"test","version":"0"},"protocolVersion":"2025-11-25"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}`
	if s.log() != want {
		t.Errorf("sent\n%s", s.log())
	}
	for _, name := range []string{StepInitialize, StepResponse, StepInitialized} {
		if st := tap.steps[name]; st.State != StepDone {
			t.Errorf("step %q: %v", name, st.State)
		}
	}
}

// counted counts how often a transport is opened.
type counted struct {
	*scripted
	opened int
}

func (c *counted) Open(ctx context.Context, r transport.Receiver) error {
	c.opened++
	return c.scripted.Open(ctx, r)
}

func TestConnect_AfterOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counted{scripted: script(friendly(nil))}
		c := NewOver(s, &checks{}, Config{Name: "test", Version: "0", Era: revision.EraHandshake})
		if err := c.Open(t.Context()); err != nil || s.log() != "" {
			t.Fatal(err, s.log())
		}
		if err := c.Connect(t.Context()); err != nil || s.opened != 1 {
			t.Errorf("%v, opened %d times", err, s.opened)
		}
		s.push(serverPing)
		synctest.Wait()
		if n := strings.Count(s.log(), `{"jsonrpc":"2.0","id":0,"result":{}}`); n != 1 {
			t.Errorf("the ping of the server has %d responses in\n%s", n, s.log())
		}
		_ = c.Close(context.Background())
	})
}

func TestNegotiation(t *testing.T) {
	reply := func(version string) func(string) []string {
		return func(f string) []string {
			return result(f, `{"protocolVersion":"`+version+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
		}
	}
	refuse := func(code int, supported string) func(string) []string {
		return func(f string) []string {
			if strings.Contains(f, `"2025-11-25"`) {
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"Unsupported protocol version","data":{"supported":%s}}}`, idOf(f), code, supported)}
			}
			return reply("2025-03-26")(f)
		}
	}
	tests := []struct {
		name   string
		server func(string) []string
		want   string // revision
		err    string
	}{
		{"down", reply("2024-11-05"), "2024-11-05", ""},
		{"unknown", reply("1999-01-01"), "", `selected protocol version "1999-01-01", which mcptea does not support`},
		{"stateless", reply("2026-07-28"), "2026-07-28", ""},
		{"absent", func(f string) []string { return result(f, `{}`) }, "", `no "protocolVersion"`},
		{"list", refuse(-32602, `["2025-03-26","2024-11-05"]`), "2025-03-26", ""},
		{"stateless list", refuse(-32022, `["2026-07-28"]`), "2026-07-28", ""},
		{"stateless list under another code", refuse(-32602, `["2025-03-26","2026-07-28"]`), "2026-07-28", ""},
		{"old list under a new code", refuse(-32022, `["2025-03-26"]`), "2025-03-26", ""},
		{"foreign list", refuse(-32602, `["9"]`), "", `supports "9"`},
		{"error", func(f string) []string {
			return []string{`{"jsonrpc":"2.0","id":` + idOf(f) + `,"error":{"code":-32603,"message":"boom"}}`}
		}, "", "error -32603: boom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := script(func(f string) []string {
				if strings.Contains(f, `"initialize"`) {
					return tt.server(f)
				}
				if strings.Contains(f, `"server/discover"`) {
					return result(f, discovery)
				}
				return nil
			})
			cfg := Config{Revision: revision.NewestHandshake}
			if tt.want == "2026-07-28" {
				cfg = Config{Era: revision.EraHandshake} // a pinned revision is the only one
			}
			c := NewOver(s, &checks{}, cfg)
			defer func() { _ = c.Close(t.Context()) }()
			err := c.Connect(t.Context())
			if tt.err == "" && (err != nil || string(c.Revision()) != tt.want) {
				t.Errorf("revision %q, error %v", c.Revision(), err)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q in it", err, tt.err)
			}
		})
	}
}

func TestNoResponseError_ShowsWhatCameInstead(t *testing.T) {
	tests := []struct {
		name, instead string
		within        time.Duration
		want          string
	}{
		{"wrong id", `{"jsonrpc":"2.0","id":"1","result":{}}`, garbledGrace, `a response with id "1"`},
		{"spoilt", `{"jsonrpc":"2.0","result":{"a":1,},"id":1}`, garbledGrace, "which is not JSON"},
		{"banner", `Server listening on stdio`, 30 * time.Second, `"Server listening on stdio"`},
		{"nothing", ``, 30 * time.Second, "no response to initialize within 30 s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := script(func(f string) []string {
					if tt.instead == "" || !strings.Contains(f, "initialize") {
						return nil
					}
					return []string{tt.instead}
				})
				c := NewOver(s, &checks{}, Config{Revision: revision.NewestHandshake})
				start := time.Now()
				err := c.Connect(t.Context())
				if took := time.Since(start); took != tt.within {
					t.Errorf("gave up after %v, want %v", took, tt.within)
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q in it", err, tt.want)
				}
				if strings.Contains(s.log(), "cancelled") {
					t.Error("initialize was cancelled, which the specification forbids")
				}
				_ = c.Close(context.Background())
			})
		})
	}
}

func TestCall_InvalidResponse(t *testing.T) {
	s := script(friendly(func(f string) []string {
		return []string{`{"jsonrpc":"2.0","id":` + idOf(f) + `,"result":{"a":1,}}`}
	}))
	c := dial(t, s)
	_, err := c.Call(t.Context(), "tools/list", nil)
	var bad *InvalidResponseError
	if !errors.As(err, &bad) || !strings.HasSuffix(err.Error(), "is not JSON: byte 40, '}' after ','") {
		t.Errorf("got %v", err)
	}
}

// The fault of a response is reported by the byte and the byte before it; a log is not a response.
func TestInvalidResponse_Place(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":1 , }}`:     "response to request 1 is not JSON: byte 42, '}' after ','",
		`{"jsonrpc":"2.0","id":1,"result":{"a":`:           "response to request 1 is not JSON: byte 38, the end after ':'",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\u202ex": "response to request 1 is not JSON: byte 33, 0xe2 after ':'",
		`{"jsonrpc":"2.0","id":1,"method":"x",}`:           "",
		`Listening on 8080`:                                "",
		`{"level":"info","msg":"up"}`:                      "",
	} {
		got := ""
		if e := InvalidResponse([]byte(line)); e != nil {
			got = e.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestCall_KeepsUnknownMembers(t *testing.T) {
	s := script(friendly(func(f string) []string {
		if strings.Contains(f, "tools/call") {
			return result(f, `{"content":[],"brand-new":{"n":1.0}}`)
		}
		return nil
	}))
	c := dial(t, s)
	a, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"x","arguments":{"n":9007199254740993}}`))
	if err != nil || string(a.Result()) != `{"content":[],"brand-new":{"n":1.0}}` {
		t.Errorf("got %s, %v", a.Result(), err)
	}
	if !strings.Contains(s.log(), `"params":{"_meta":{"progressToken":2},"name":"x","arguments":{"n":9007199254740993}}`) {
		t.Errorf("sent %s", s.log())
	}
}

func TestCall_ErrorResponse(t *testing.T) {
	s := script(friendly(func(f string) []string {
		return []string{`{"jsonrpc":"2.0","id":` + idOf(f) + `,"error":{"code":-32602,"message":"Unknown tool: nope","data":{"x":1}}}`}
	}))
	c := dial(t, s)
	a, err := c.Call(t.Context(), "tools/call", []byte(`{}`))
	var rpc *RPCError
	if err != nil || !errors.As(a.Err(), &rpc) || !rpc.Code.Is(-32602) || rpc.Message != "Unknown tool: nope" || string(rpc.Data) != `{"x":1}` {
		t.Errorf("got %v, %+v", err, a.Err())
	}
}

func TestTimeout_CancelsAndProgressExtends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(nil))
		c := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Timeout: time.Minute})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(50*time.Second, func() {
			s.push(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
		})
		_, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"slow"}`))
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || time.Since(start) != 110*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		synctest.Wait()
		if !strings.Contains(s.log(), `"notifications/cancelled","params":{"requestId":2,"reason":"timed out after 110 s"}`) {
			t.Errorf("sent %s", s.log())
		}
		_ = c.Close(context.Background())
	})
}

func TestTimeout_MaxTimeoutBoundsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(nil))
		c := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Timeout: time.Minute, MaxTimeout: 5 * time.Minute})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(30 * time.Second)
		stop := make(chan struct{})
		go func() {
			for {
				select {
				case <-tick.C:
					s.push(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
				case <-stop:
					return
				}
			}
		}()
		start := time.Now()
		_, err := c.Call(t.Context(), "tools/call", []byte(`{}`))
		if err == nil || time.Since(start) != 5*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		close(stop)
		tick.Stop()
		_ = c.Close(context.Background())
	})
}

func TestCancel_ContextCauseIsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(nil))
		c := NewOver(s, &checks{}, Config{Revision: revision.NewestHandshake})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("cancelled by the user")) })
		if _, err := c.Call(ctx, "tools/call", []byte(`{}`)); err == nil || err.Error() != "cancelled by the user" {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if !strings.Contains(s.log(), `{"requestId":2,"reason":"cancelled by the user"}`) {
			t.Errorf("sent %s", s.log())
		}
		_ = c.Close(context.Background())
	})
}

func TestCall_ConnectionEnds(t *testing.T) {
	s := script(friendly(nil))
	s.answer = friendly(func(f string) []string {
		if strings.Contains(f, "tools/call") {
			s.end(errors.New("the server process exited with code 9"))
		}
		return nil
	})
	c := dial(t, s)
	_, err := c.Call(t.Context(), "tools/call", []byte(`{}`))
	if err == nil || !strings.Contains(err.Error(), "tools/call got no response: the server process exited with code 9") {
		t.Errorf("got %v", err)
	}
}

func TestServerRequest_AutomaticResponse(t *testing.T) {
	tests := []struct{ asks, want string }{
		{`{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"result":{}}`},
		{`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`, `{"jsonrpc":"2.0","id":"r","result":{"roots":[{"uri":"file:///w"}]}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"mcptea does not offer sampling/createMessage"}}`},
		{`[{"jsonrpc":"2.0","id":8,"method":"ping"}]`, `{"jsonrpc":"2.0","id":8,"result":{}}`},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := script(friendly(nil))
			c := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Roots: []Root{{URI: "file:///w"}}})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.push(tt.asks)
			synctest.Wait()
			if !strings.HasSuffix(s.log(), tt.want) {
				t.Errorf("asked %s, sent\n%s", tt.asks, s.log())
			}
			_ = c.Close(context.Background())
		})
	}
}

func TestServerRequest_OnServerRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(nil))
		var got []ServerRequest
		c := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Elicitation: true, OnServerRequest: func(a ServerRequest) { got = append(got, a) }})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.log(), `"elicitation":{"form":{},"url":{}}`) || strings.Contains(s.log(), "sampling") {
			t.Errorf("offered: %s", s.log())
		}
		// The timeout of a call is suspended while the user answers a server request.
		done := make(chan error)
		go func() {
			_, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"ask-user"}`))
			done <- err
		}()
		synctest.Wait()
		s.push(`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"?"}}`)
		s.push(`{"jsonrpc":"2.0","id":6,"method":"sampling/createMessage","params":{}}`)
		time.Sleep(150 * time.Second)
		if len(got) != 1 || got[0].ID.String() != "5" || string(got[0].Params) != `{"message":"?"}` {
			t.Errorf("passed on: %+v", got)
		}
		if !strings.Contains(s.log(), `"id":6,"error":{"code":-32601`) {
			t.Error("what was not offered was not refused")
		}
		if err := c.Respond(t.Context(), jsonrpc.IDOf("5"), []byte(`{"action":"decline"}`)); err != nil {
			t.Error(err)
		}
		s.push(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		if err := <-done; err != nil {
			t.Errorf("the call gave up meanwhile: %v", err)
		}
		if !strings.Contains(s.log(), `{"jsonrpc":"2.0","id":5,"result":{"action":"decline"}}`) {
			t.Errorf("sent %s", s.log())
		}
		_ = c.Close(context.Background())
	})
}

func TestList_FollowsCursor(t *testing.T) {
	pages := map[string]string{
		``:        `{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"p\u0032"}`,
		`p\u0032`: `{"tools":[{"name":"c","x":1}],"nextCursor":null}`,
	}
	s := script(friendly(func(f string) []string {
		cursor, _ := jsonrpc.Member([]byte(f), "params", "cursor")
		return result(f, pages[strings.Trim(string(cursor), `"`)])
	}))
	items, err := dial(t, s).List(t.Context(), Tools)
	if err != nil || len(items) != 3 || string(items[2]) != `{"name":"c","x":1}` {
		t.Errorf("got %s, %v", items, err)
	}
}

func TestList_CursorLoop(t *testing.T) {
	n := 0
	circle := script(friendly(func(f string) []string { return result(f, `{"tools":[{}],"nextCursor":"same"}`) }))
	if items, err := dial(t, circle).List(t.Context(), Tools); !errors.Is(err, ErrCursorLoop) || len(items) != 2 {
		t.Errorf("got %d items, %v", len(items), err)
	}
	endless := script(friendly(func(f string) []string {
		n++
		return result(f, fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"%d"}`, n, n))
	}))
	if items, err := dial(t, endless).List(t.Context(), Tools); !errors.Is(err, ErrTooManyPages) || len(items) != maxPages {
		t.Errorf("got %d items, %v", len(items), err)
	}
}

func TestDo_AnyFrame(t *testing.T) {
	s := script(friendly(func(f string) []string {
		if strings.Contains(f, `"abc"`) {
			return result(f, `{"ok":true}`)
		}
		return nil
	}))
	c := dial(t, s)
	a, err := c.Do(t.Context(), ParseRequest([]byte(`{"jsonrpc":"2.0","id":"abc","method":"tools/call","params":{}}`)))
	if err != nil || string(a.Result()) != `{"ok":true}` {
		t.Errorf("got %s %v", a.Frame, err)
	}
	for _, odd := range []string{`not json`, `{"jsonrpc":"2.0","method":"n"}`, `[]`} {
		if a, err := c.Do(t.Context(), ParseRequest([]byte(odd))); err != nil || a.Frame != nil {
			t.Errorf("%s: %v", odd, err)
		}
		if !strings.HasSuffix(s.log(), odd) {
			t.Errorf("%s was not sent as it is", odd)
		}
	}
}
