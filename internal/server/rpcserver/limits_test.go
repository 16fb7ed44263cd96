package rpcserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
)

// slow is a session that responds to initialize immediately, and to other requests after 12 seconds.
type slow struct{ idle }

func (slow) Handle(ctx context.Context, frame []byte, to *Stream) {
	e := jsonrpc.Scan(frame)
	if !e.HasMethod(frame, "initialize") {
		select {
		case <-time.After(12 * time.Second):
		case <-ctx.Done():
		}
	}
	to.Answer(jsonrpc.EncodeResult(e.ID.Of(frame).ID(), []byte("{}")), 0)
}

func newSlowEndpoint(ctx context.Context) *Endpoint {
	return &Endpoint{
		Context: ctx, Open: func(bool, func([]byte)) Session { return slow{} },
		Route: func(r *http.Request, _ []byte, _ jsonrpc.Envelope) (Route, *Refusal) {
			if r.Header.Get(SessionHeader) == "" {
				return NewSession, nil
			}
			return InSession, nil
		},
		OnlyPOST: func(*http.Request) bool { return false },
	}
}

// send has an endpoint handle a POST, in a session unless the id is "".
func (e *Endpoint) send(ctx context.Context, id, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", typeJSON)
	r.Header.Set("Accept", typeJSON+", "+typeStream)
	if id != "" {
		r.Header.Set(SessionHeader, id)
	}
	e.ServeHTTP(w, r)
	return w
}

const (
	beginning = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	pinging   = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
)

func TestEndpoint_HeadersAfter(t *testing.T) {
	for after, want := range map[time.Duration]string{
		0:               `{"jsonrpc":"2.0","id":2,"result":{}}`,
		time.Minute:     `{"jsonrpc":"2.0","id":2,"result":{}}`,
		5 * time.Second: ": keep-alive\n\nevent: message\nid: 2-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			e := newSlowEndpoint(ctx)
			e.HeadersAfter, e.KeepAlive = after, 5*time.Second
			id := e.send(ctx, "", beginning).Header().Get(SessionHeader)
			w := e.send(ctx, id, pinging)
			if got := w.Body.String(); w.Code != http.StatusOK || got != want {
				t.Errorf("headers after %s: %d %q, want %q", after, w.Code, got, want)
			}
		})
	}
}

func TestEndpoint_Idle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		e := newSlowEndpoint(ctx)
		e.Idle = 10 * time.Second
		id := e.send(ctx, "", beginning).Header().Get(SessionHeader)
		for range 3 {
			time.Sleep(8 * time.Second)
			if w := e.send(ctx, id, pinging); w.Code != http.StatusOK {
				t.Fatalf("a request of 12 s, 8 s after the previous one: %d %s", w.Code, w.Body)
			}
		}
		time.Sleep(12 * time.Second)
		if w := e.send(ctx, id, pinging); w.Code != http.StatusNotFound {
			t.Errorf("12 s after the previous request: %d %s", w.Code, w.Body)
		}
	})
}

func TestEndpoint_MaxSessions(t *testing.T) {
	e := newSlowEndpoint(t.Context())
	e.MaxSessions = 2
	var ids []string
	for range 3 {
		ids = append(ids, e.send(t.Context(), "", beginning).Header().Get(SessionHeader))
	}
	for i, id := range ids {
		if found := e.sessions.find(id) != nil; found != (i > 0) {
			t.Errorf("session %d of 3 is open: %t", i+1, found)
		}
	}
}
