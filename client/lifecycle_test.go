package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

const serverPing = `{"jsonrpc":"2.0","id":0,"method":"ping"}`

// The rules for a connection with handshake: what mcptea
// does, and what it makes of servers that break theirs.
var lifecycleRows = register("lifecycle",
	isOld("a result without capabilities", old(actor{"initialize": says(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"child","version":"1"}}`)}), noMethod),
	isOld("a result without serverInfo", old(actor{"initialize": says(`{"protocolVersion":"2025-11-25","capabilities":{}}`)}), noMethod).in("2025-11-25", "an unnamed server, protocol version 2025-11-25"),
	isOld("a server info that is a string", old(actor{"initialize": says(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":"me"}`)}), noMethod).in("2025-11-25", "an unnamed server, protocol version 2025-11-25"),
	isOld("a result beside a log message", old(actor{"initialize": both(prints(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`), welcomes("2025-11-25"))}), noMethod),
	isOld("a list that changes before it is asked for", old(actor{"initialize": both(welcomes("2025-11-25"), prints(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))}), noMethod),
	isOld("two results", old(actor{"initialize": both(welcomes("2025-11-25"), welcomes("2024-11-05"))}), noMethod),
	isOld("a ping before the result", old(actor{"initialize": both(prints(serverPing), welcomes("2025-11-25"))}), noMethod),
	isOld("roots are asked for before the end of the handshake", old(actor{"initialize": both(prints(roots), welcomes("2025-11-25"))}), noMethod),
)

func TestLifecycle_Handshake(t *testing.T) {
	for _, r := range lifecycleRows {
		t.Run(r.name, func(t *testing.T) {
			c, w, err := r.tries(t, r.child(t))
			if err != nil || w.listErr != nil {
				t.Fatal(err, w.listErr)
			}
			// An answer to the server may come anywhere: it is not a request.
			if got := strings.ReplaceAll(w.story(">", "started"), " > answer", ""); got != r.story {
				t.Errorf("what happened: %s", got)
			}
			if got := w.detail(StepResponse); !strings.Contains(got, r.detail) || c.Revision() != r.revision {
				t.Errorf("%s: %s", c.Revision(), got)
			}
		})
	}
}

// initialize has the required members, comes alone, and cannot be cancelled.
func TestInitialize(t *testing.T) {
	for _, offer := range revision.WithHandshake() {
		t.Run(string(offer), func(t *testing.T) {
			var c *Client
			var refused error
			s := script(nil)
			s.answer = func(f string) []string {
				if strings.Contains(f, `"initialize"`) {
					refused = c.Cancel(context.Background(), jsonrpc.IDOf(idOf(f)), "enough")
				}
				return friendly(nil)(strings.ReplaceAll(f, string(offer), "2025-11-25"))
			}
			c = NewOver(s, &checks{}, Config{Name: "test", Version: "0", Revision: offer, OnServerRequest: func(ServerRequest) {}, Sampling: true})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			params, _ := jsonrpc.Member([]byte(s.sent[0]), "params")
			for _, want := range []string{`"protocolVersion":"` + string(offer) + `"`, `"clientInfo":{"name":"test","version":"0"}`, `"capabilities":{`, `"roots":{"listChanged":true}`, `"sampling":{`} {
				if !strings.Contains(string(params), want) {
					t.Errorf("initialize does not say %s: %s", want, params)
				}
			}
			if strings.Contains(s.sent[0], "elicitation") || !strings.HasPrefix(s.sent[0], "{") {
				t.Errorf("initialize: %s", s.sent[0])
			}
			if refused == nil || refused.Error() != "initialize must not be cancelled" {
				t.Errorf("cancelling it: %v", refused)
			}
			sent := len(s.sent)
			if err := c.Close(t.Context()); err != nil || len(s.sent) != sent || sent != 2 {
				t.Errorf("the end sent %q, %v", s.sent, err)
			}
		})
	}
}

// Giving up while initialize waits cancels nothing at the server.
func TestInitialize_Canceled(t *testing.T) {
	s := script(func(string) []string { return nil })
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s.answer = func(string) []string { cancel(enough); return nil }
	c := NewOver(s, &checks{}, Config{Revision: revision.NewestHandshake})
	defer c.Close(t.Context())
	if err := c.Connect(ctx); !errors.Is(err, enough) {
		t.Errorf("ended with %v", err)
	}
	if strings.Contains(s.log(), "cancelled") || len(s.sent) != 1 {
		t.Errorf("sent %s", s.log())
	}
}

// heads keeps what the headers of each request say.
type heads struct {
	site
	mu  sync.Mutex
	got []string
}

func (h *heads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said := r.Method
	for _, name := range []string{"MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method"} {
		if v := r.Header.Get(name); v != "" {
			said += " " + v
		}
	}
	h.mu.Lock()
	h.got = append(h.got, said)
	h.mu.Unlock()
	h.site.ServeHTTP(w, r)
}

// The revision that was agreed on stands on each later request, in revisions
// that have a header for it; and the session, until it is ended.
func TestHeaders_AfterHandshake(t *testing.T) {
	for v, header := range map[revision.Revision]string{
		"2024-11-05": "", "2025-03-26": "", "2025-06-18": " 2025-06-18", "2025-11-25": " 2025-11-25",
	} {
		t.Run(string(v), func(t *testing.T) {
			s := oldSite().with("initialize", func(w http.ResponseWriter, r *http.Request, id string) {
				w.Header().Set("Mcp-Session-Id", "s1")
				givesResult(strings.Replace(child, "2025-11-25", string(v), 1))(w, r, id)
			}).with("notifications/initialized", gives(202, "")).with("tools/list", givesResult(someTools)).with("DELETE", gives(200, ""))
			h := &heads{site: s}
			server := httptest.NewServer(h)
			defer server.Close()
			c := New(Target{URL: server.URL}, &witness{}, Config{Revision: revision.NewestHandshake})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := c.List(t.Context(), Tools); err != nil {
				t.Error(err)
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.got[0] != "POST" || !slices.Contains(h.got, "DELETE"+header+" s1") {
				t.Errorf("requests %q", h.got)
			}
			for _, got := range h.got[1:] {
				if _, said, _ := strings.Cut(got, " "); said != strings.TrimSpace(header+" s1") {
					t.Errorf("after initialize: %s", got)
				}
			}
		})
	}
}

// Without handshake each request stands alone, whatever the server remembers or
// hands out.
func TestHeaders_Stateless(t *testing.T) {
	minting := func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Mcp-Session-Id", "must-not-be")
		givesResult(discovery)(w, r, id)
	}
	h := &heads{site: statelessSite().with("server/discover", minting)}
	server := httptest.NewServer(h)
	defer server.Close()
	w := &witness{}
	c := New(Target{URL: server.URL}, w, Config{Name: "test", Version: "0"})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := c.List(t.Context(), Tools); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	for _, frame := range w.sent {
		if !strings.Contains(frame, `"_meta":{`+whoAsks+`}`) {
			t.Errorf("sent %s", frame)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	want := "POST 2026-07-28 server/discover, POST 2026-07-28 tools/list, POST 2026-07-28 tools/list"
	if got := strings.Join(h.got, ", "); got != want {
		t.Errorf("requests: %s", got)
	}
}

// What a server must do without handshake, and what mcptea makes of one that
// does otherwise: an answer is an answer, whatever status
// comes with it.
func TestStatelessServer_ErrorResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		does act
		want string // of the answer, or of the error
	}{
		"-32602 with 400":         {givesError(400, -32602, ""), "error -32602: no"},
		"-32602 with 200":         {givesError(200, -32602, ""), "error -32602: no"},
		"-32022 with 400":         {givesError(400, -32022, `{"supported":["2026-07-28"],"requested":"x"}`), "error -32022: no"},
		"-32022 with 200":         {givesError(200, -32022, ""), "error -32022: no"},
		"-32022 without data":     {givesError(400, -32022, ""), "error -32022: no"},
		"-32021 with 400":         {givesError(400, -32021, `{"requiredCapabilities":{"sampling":{}}}`), "error -32021: no"},
		"-32021 with 200":         {givesError(200, -32021, ""), "error -32021: no"},
		"-32601 with 404":         {givesError(404, -32601, ""), "error -32601: no"},
		"-32601 with 200":         {givesError(200, -32601, ""), "error -32601: no"},
		"404 without a body":      {gives(404, ""), "404 Not Found"},
		"a result with no type":   {givesResult(`{"tools":[]}`), ""},
		"a result with no server": {givesResult(someTools), ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(statelessSite().with("prompts/list", tt.does))
			defer server.Close()
			c := New(Target{URL: server.URL}, &witness{}, Config{})
			defer c.Close(t.Context())
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			answer, err := c.Call(t.Context(), "prompts/list", nil)
			if err == nil {
				err = answer.Err()
			}
			if fmt.Sprint(err) != "<nil>" != (tt.want != "") || tt.want != "" && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if v := c.EraDetection(); v.Era != revision.EraStateless || v.DetectedBy != EraProbed {
				t.Errorf("the verdict became %+v", v)
			}
		})
	}
}

// A request that lacks what it must say is refused by a server that knows its
// duty, and answered by one that does not; both are shown as they are.
func TestDo_WithoutMeta(t *testing.T) {
	for name, does := range map[string]act{"refused": givesError(400, -32602, ""), "answered": givesResult(someTools)} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(statelessSite().with("tools/list", does))
			defer server.Close()
			c := New(Target{URL: server.URL}, &witness{}, Config{})
			defer c.Close(t.Context())
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, err := c.Do(t.Context(), ParseRequest([]byte(`{"jsonrpc":"2.0","id":"bare","method":"tools/list","params":{}}`)))
			if err != nil || (a.Err() != nil) != (name == "refused") {
				t.Errorf("got %s, %v", a.Frame, err)
			}
		})
	}
}

// What a server calls itself is for people: it changes nothing on the wire.
func TestHandshake_NamesHaveNoEffect(t *testing.T) {
	said := func(info string) string {
		server := httptest.NewServer(statelessSite().with("server/discover", givesResult(strings.Replace(discovery, `{"name":"new","title":"The New","version":"2"}`, info, 1))))
		defer server.Close()
		w := &witness{}
		c := New(Target{URL: server.URL}, w, Config{Name: "test", Version: "0"})
		defer c.Close(t.Context())
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := c.List(t.Context(), Tools)
		return fmt.Sprint(strings.Join(w.sent, "\n"), err, c.Revision())
	}
	want := said(`{"name":"new","version":"2"}`)
	for _, info := range []string{`{"name":"mcptea","version":"1.0.1"}`, `{}`, `null`, `"me"`, `{"name":1}`} {
		if got := said(info); got != want {
			t.Errorf("to %s was said\n%s, and else\n%s", info, got, want)
		}
	}
}

// Between two requests everything behind the URL may be another.
func TestStatelessServer_Changes(t *testing.T) {
	var mu sync.Mutex
	var now http.Handler = statelessSite()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := now
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := New(Target{URL: server.URL}, &witness{}, Config{})
	defer c.Close(t.Context())
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	now = statelessSite().with("tools/list", givesResult(`{"resultType":"complete","tools":[]}`))
	mu.Unlock()
	if items, err := c.List(t.Context(), Tools); err != nil || len(items) > 0 {
		t.Errorf("%d tools, %v", len(items), err)
	}
}

// A reply says that the frame was sent, also when an error of the sending was seen first.
func TestPreferReply_IsSent(t *testing.T) {
	sent := false
	p := &pending{reply: make(chan reply, 1), onSent: func() { sent = true }}
	if _, err := p.preferReply(errors.New("HTTP 404")); err == nil || sent {
		t.Errorf("without a reply: error %v, sent %v", err, sent)
	}
	p.reply <- reply{}
	if _, err := p.preferReply(errors.New("HTTP 404")); err != nil || !sent {
		t.Errorf("with a reply: error %v, sent %v", err, sent)
	}
}
