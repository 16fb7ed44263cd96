package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

const (
	discovery = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"x-new":{}},"instructions":"hi","ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","title":"The New","version":"2"}}}`

	whoAsks = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
)

func refusal(frame string, code int, data string) []string {
	return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no","data":%s}}`, idOf(frame), code, data)}
}

// newcomer answers server/discover and refuses initialize; the rest is passed
// on.
func newcomer(rest func(string) []string) func(string) []string {
	return func(frame string) []string {
		switch {
		case strings.Contains(frame, `"initialize"`):
			return refusal(frame, -32022, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`)
		case strings.Contains(frame, `"server/discover"`):
			return result(frame, discovery)
		case rest == nil:
			return nil
		}
		return rest(frame)
	}
}

// meet connects without a handshake.
func meet(t *testing.T, s *scripted) (*Client, *noted) {
	t.Helper()
	tap := &noted{}
	c := NewOver(s, tap, Config{Name: "test", Version: "0", Revision: revision.R20260728})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, tap
}

func TestDiscover(t *testing.T) {
	s := script(newcomer(nil))
	c, tap := meet(t, s)
	defer c.Close(t.Context())
	h := c.Handshake()
	if h.Revision != revision.R20260728 || h.Offered != h.Revision || h.Server != (Implementation{Name: "new", Title: "The New", Version: "2"}) || h.Instructions != "hi" {
		t.Errorf("got %+v", h)
	}
	if !h.HasCapability("tools") || h.HasCapability("prompts") || string(h.ClientCaps) != `{"roots":{}}` || !strings.Contains(string(h.Result), `"x-new":{}`) {
		t.Errorf("capabilities %s and %s", h.ServerCaps, h.ClientCaps)
	}
	if want := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{` + whoAsks + `}}}`; s.log() != want {
		t.Errorf("sent\n%s\nwant\n%s", s.log(), want)
	}
	if s.header != "2026-07-28" {
		t.Errorf("the transport got revision %q", s.header)
	}
	if got := tap.plan(); got != "send server/discover done, response done, ready done" {
		t.Errorf("steps: %s", got)
	}
}

// A server that refuses initialize because it has no handshake is asked in its own way, visibly, on the
// same connection.
func TestInitialize_RefusedByStatelessServer(t *testing.T) {
	for name, code := range map[string]int{"naming the revision": -32022, "before the release": -32004, "not knowing the method": jsonrpc.CodeMethodNotFound, "missing headers": -32020, "in words alone": -32602} {
		t.Run(name, func(t *testing.T) {
			s := script(nil)
			s.answer = newcomer(nil)
			if code != -32022 {
				s.answer = func(f string) []string {
					if !strings.Contains(f, `"initialize"`) {
						return newcomer(nil)(f)
					}
					if code == -32602 {
						return []string{strings.Replace(refusal(f, code, `null`)[0], `"no"`, `"this server speaks 2026-07-28"`, 1)}
					}
					if code != -32004 {
						return refusal(f, code, `null`)
					}
					return refusal(f, code, `{"supported":["2025-11-25","2026-07-28"]}`)
				}
			}
			tap := &noted{}
			c := NewOver(s, tap, Config{Name: "test", Version: "0", Era: revision.EraHandshake})
			defer c.Close(t.Context())
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := c.Revision(); got != revision.R20260728 {
				t.Errorf("revision %s", got)
			}
			if got := tap.plan(); got != "send initialize done, response failed, send server/discover done, response done, ready done" {
				t.Errorf("steps: %s", got)
			}
			if strings.Contains(s.log(), "initialized") {
				t.Errorf("sent\n%s", s.log())
			}
		})
	}
}

func TestDiscover_Fails(t *testing.T) {
	both := func(init, discover func(string) []string) func(string) []string {
		return func(f string) []string {
			if strings.Contains(f, `"initialize"`) {
				return init(f)
			}
			return discover(f)
		}
	}
	says := func(r string) func(string) []string { return func(f string) []string { return result(f, r) } }
	refuses := func(code int, data string) func(string) []string {
		return func(f string) []string { return refusal(f, code, data) }
	}
	for name, tt := range map[string]struct {
		offer  revision.Revision
		server func(string) []string
		want   []string
	}{
		"other versions":      {revision.R20260728, says(`{"supportedVersions":["2025-11-25","2099-01-01"],"capabilities":{}}`), []string{`supports 2025-11-25, 2099-01-01`, "not 2026-07-28"}},
		"refused with a list": {revision.R20260728, refuses(-32022, `{"supported":["2025-11-25"]}`), []string{`supports 2025-11-25`, "not 2026-07-28"}},
		"versions of null":    {revision.R20260728, says(`{"supportedVersions":[null],"capabilities":{}}`), []string{`supports no version, not 2026-07-28`, `"supportedVersions" contains an element of type null, not string`}},
		"a version of number": {revision.R20260728, says(`{"supportedVersions":["2099-01-01",7],"capabilities":{}}`), []string{`supports 2099-01-01, not 2026-07-28`, `an element of type number, not string`}},
		"no versions":         {revision.R20260728, says(`{}`), []string{`no "supportedVersions"`}},
		"capability":          {revision.R20260728, refuses(-32021, `{"requiredCapabilities":{"sampling":{}}}`), []string{"error -32021"}},
		"unknown":             {revision.R20260728, refuses(-32601, `null`), []string{"error -32601"}},
		"neither":             {"", refuses(-32601, `null`), []string{"initialize failed", "error -32601"}},
		"not what it said":    {"", both(refuses(-32022, `{"supported":["2026-07-28"]}`), says(`{}`)), []string{"2026-07-28, which has no initialize handshake", `no "supportedVersions"`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := script(tt.server)
			c := NewOver(s, &noted{}, Config{Revision: tt.offer, Era: revision.EraHandshake})
			defer c.Close(t.Context())
			err := c.Connect(t.Context())
			var connect *ConnectError
			if !errors.As(err, &connect) || connect.Step != StepResponse {
				t.Fatalf("error %#v", err)
			}
			for _, words := range tt.want {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("error %q does not say %q", err, words)
				}
			}
			if tt.offer != "" && strings.Contains(s.log(), `"initialize"`) {
				t.Error("initialize was sent, though another revision was asked for")
			}
		})
	}
}

func TestDiscover_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(func(string) []string { return []string{"Server listening"} })
		c := NewOver(s, &checks{}, Config{Revision: revision.R20260728, ConnectTimeout: 5 * time.Second})
		start := time.Now()
		err := c.Connect(t.Context())
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("gave up after %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "no response to server/discover within 5 s") || !strings.Contains(err.Error(), "Server listening") {
			t.Errorf("error %v", err)
		}
		_ = c.Close(context.Background())
	})
}

// Each request names its sender, and the user's text stays unchanged.
func TestStatelessRequest_Meta(t *testing.T) {
	s := script(newcomer(func(f string) []string { return result(f, `{"resultType":"complete"}`) }))
	c, _ := meet(t, s)
	defer c.Close(t.Context())
	for _, tt := range []struct{ method, params, want string }{
		{"tools/list", ``, `{"_meta":{` + whoAsks + `}}`},
		{"tools/list", `{"cursor":"2"}`, `{"_meta":{` + whoAsks + `},"cursor":"2"}`},
		{"tools/call", `{ "name":"x","n":1.0}`, `{"_meta":{"progressToken":4,` + whoAsks + `}, "name":"x","n":1.0}`},
		{"tools/call", `{"name":"x", "_meta" : {} }`, `{"name":"x", "_meta" : {` + whoAsks + `} }`},
		{
			"tools/call", `{"_meta":{"a":1.0,"io.modelcontextprotocol/clientInfo":null},"name":"x"}`,
			`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"a":1.0,"io.modelcontextprotocol/clientInfo":null},"name":"x"}`,
		},
		{"tools/call", `{"_meta":"mine","name":"x"}`, `{"_meta":"mine","name":"x"}`},
		{"tools/call", `["a"]`, `["a"]`},
	} {
		if _, err := c.Call(t.Context(), tt.method, []byte(tt.params)); err != nil {
			t.Fatal(err)
		}
		sent := s.log()[strings.LastIndexByte(s.log(), '\n')+1:]
		if got, _ := jsonrpc.Member([]byte(sent), "params"); string(got) != tt.want {
			t.Errorf("%s %s was sent as\n%s, want\n%s", tt.method, tt.params, got, tt.want)
		}
	}
	// A frame composed by hand is sent unchanged.
	byHand := `{"jsonrpc":"2.0","id":"h","method":"tools/list"}`
	if _, err := c.Do(t.Context(), ParseRequest([]byte(byHand))); err != nil || !strings.HasSuffix(s.log(), byHand) {
		t.Errorf("sent %s, %v", s.log(), err)
	}
}

// A result that asks for input is an outcome like others.
func TestCall_InputRequiredIsReturned(t *testing.T) {
	const asks = `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}`
	c, _ := meet(t, script(newcomer(func(f string) []string { return result(f, asks) })))
	defer c.Close(t.Context())
	a, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"x"}`))
	if err != nil || a.Err() != nil || string(a.Result()) != asks {
		t.Errorf("got %s, %v", a.Result(), err)
	}
}

// A server must not ask by itself, and a client must not answer.
func TestServerRequest_IgnoredWithoutHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(newcomer(nil))
		asked := false
		c := NewOver(s, &checks{}, Config{Revision: revision.R20260728, Elicitation: true, OnServerRequest: func(ServerRequest) { asked = true }})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := s.log()
		s.push(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		s.push(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}}`)
		synctest.Wait()
		if s.log() != before || asked {
			t.Errorf("sent\n%s", s.log())
		}
		_ = c.Close(context.Background())
	})
}

// Over stdio a cancellation is a message, as before.
func TestCancel_Stateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(newcomer(nil))
		c, _ := meet(t, s)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("enough")) })
		if _, err := c.Call(ctx, "tools/call", []byte(`{}`)); err == nil || err.Error() != "enough" {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if !strings.HasSuffix(s.log(), `"notifications/cancelled","params":{"requestId":2,"reason":"enough"}}`) {
			t.Errorf("sent %s", s.log())
		}
		_ = c.Close(context.Background())
	})
}
