package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// heard is a reply that keeps the last response.
type heard struct{ sent, answered []byte }

func (h *heard) Send(frame []byte)   { h.sent = slices.Clone(frame) }
func (h *heard) Answer(frame []byte) { h.answered = slices.Clone(frame) }

// connected is a session after the handshake.
func connected(t *testing.T, server *Server) *Session {
	t.Helper()
	s := NewSession(t.Context(), server, func([]byte) {})
	hello := `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`
	h := &heard{}
	if s.Handle([]byte(hello), h); !strings.Contains(string(h.answered), `"result"`) {
		t.Fatalf("the response to initialize is %s", h.answered)
	}
	return s
}

// templated is a server with a template that has any number of resources.
func templated() *Server {
	return &Server{
		Capabilities: json.RawMessage(`{"resources":{"subscribe":true}}`), Info: json.RawMessage(`{"name":"t","version":"1"}`),
		Lists: map[string][]*Entry{revision.Templates.Name: {{
			Key: "a:{n}", Wire: json.RawMessage(`{"name":"a","uriTemplate":"a:{n}"}`), From: revision.All()[0],
			Run: func(context.Context, *Call) (any, error) { return struct{}{}, nil },
		}}},
	}
}

// A client that subscribes to ever other resources of a template is refused.
func TestSubscribe_Bound(t *testing.T) {
	s := connected(t, templated())
	ask := func(method, uri string) string {
		h := &heard{}
		s.Handle(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"uri":%q}}`, method, uri), h)
		return string(h.answered)
	}
	for i := range maxSubscribed {
		if got := ask("resources/subscribe", fmt.Sprint("a:", i)); !strings.Contains(got, `"result"`) {
			t.Fatalf("subscription %d: %s", i, got)
		}
	}
	if got := ask("resources/subscribe", "a:more"); !strings.Contains(got, "at most 1000 subscriptions") {
		t.Errorf("a further one: %s", got)
	}
	if got := ask("resources/subscribe", "a:0"); !strings.Contains(got, `"result"`) {
		t.Errorf("one that is there: %s", got)
	}
	ask("resources/unsubscribe", "a:0")
	if got := ask("resources/subscribe", "a:more"); !strings.Contains(got, `"result"`) {
		t.Errorf("in place of another one: %s", got)
	}
	s.Close()
	s.Wait()
}

func TestListen_Bound(t *testing.T) {
	s := NewSession(t.Context(), templated(), func([]byte) {})
	h := &heard{}
	uris := Encode(slices.Repeat([]string{"a:1"}, maxSubscribed+1))
	s.Handle([]byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":`+string(uris)+`},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`), h)
	s.Wait()
	s.Close()
	if !strings.Contains(string(h.answered), "at most 1000 resources") {
		t.Errorf("the response is %s", h.answered)
	}
}

func TestBegin_Bound(t *testing.T) {
	s := NewSession(t.Context(), &Server{}, func([]byte) {})
	for i := range maxRunning {
		if _, _, refused := s.begin(jsonrpc.IntID(int64(i))); refused != nil {
			t.Fatal(refused)
		}
	}
	if _, _, refused := s.begin(jsonrpc.IntID(-1)); refused == nil || len(s.running) != maxRunning {
		t.Errorf("%d run, %v", len(s.running), refused)
	}
	s.end(jsonrpc.IntID(0))
	if _, _, refused := s.begin(jsonrpc.IntID(-1)); refused != nil {
		t.Error(refused)
	}
}

// What is looked up is not counted: a client names what it likes.
func TestMemory_LookUpsKeepNothing(t *testing.T) {
	var m memory
	if m.toggled("a") || m.count("b") != 0 || len(m.counts) != 0 {
		t.Errorf("%v", m.counts)
	}
	if m.add("a", 1); !m.toggled("a") || m.count("a") != 1 {
		t.Errorf("%v", m.counts)
	}
}

// A request of the server has an outcome when the session is closed.
func TestSettleAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := connected(t, &Server{Info: json.RawMessage(`{"name":"t","version":"1"}`)})
		running, _, refused := s.begin(jsonrpc.IntID(7))
		if refused != nil {
			t.Fatal(refused)
		}
		outcome := make(chan error, 1)
		go func() {
			_, err := s.ask(running, &heard{}, "roots/list", nil)
			outcome <- err
		}()
		synctest.Wait()
		s.Close()
		if err := <-outcome; !errors.Is(err, errClosed) {
			t.Errorf("the outcome is %v", err)
		}
		if _, err := s.ask(running, &heard{}, "roots/list", nil); !errors.Is(err, errClosed) || len(s.asked) != 0 {
			t.Errorf("a later one: %v, %d are kept", err, len(s.asked))
		}
	})
}
