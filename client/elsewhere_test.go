package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// onGET is a server that sends its responses on the stream of GET, before or after the exchange of the
// request has ended without one, or not at all.
func onGET(t *testing.T, status int, when string, ended chan struct{}) (url string) {
	t.Helper()
	events := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		method, id := e.MethodName(body), e.ID.Of(body).String()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			for {
				_ = http.NewResponseController(w).Flush()
				select {
				case e := <-events:
					fmt.Fprintf(w, "data: %s\n\n", e)
				case <-r.Context().Done():
					return
				}
			}
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, id)
		case method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
		case id == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			if status == http.StatusOK {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			response := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"run"}]}}`, id)
			if when == "before" {
				events <- response
			}
			w.WriteHeader(status)
			if when == "after" { // the exchange has ended for the client, too
				for len(ended) > 0 {
					<-ended
				}
				go func() {
					<-ended
					events <- response
				}()
			}
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// endings is a tap that notes the ends of exchanges.
type endings struct {
	checks
	ended chan struct{}
}

func (e *endings) Exchange(x transport.Exchange) {
	if x.Phase == transport.ExchangeDone && x.Method == http.MethodPost {
		e.ended <- struct{}{}
	}
}

// A response on the stream of GET is waited for in the same way each time, and told.
func TestCall_ResponseOnTheStreamOfGET(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusAccepted} {
		for _, when := range []string{"before", "after", "never"} {
			var notes atomic.Pointer[string]
			ended := make(chan struct{}, 100)
			c := New(Target{URL: onGET(t, status, when, ended)}, &endings{ended: ended}, Config{Name: "test", Note: func(text string) { notes.Store(&text) }})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			items, err := c.List(t.Context(), Tools)
			switch told := notes.Load(); {
			case when == "never":
				if !errors.Is(err, mcphttp.ErrEmpty) && !errors.Is(err, mcphttp.ErrStreamUnanswered) || told != nil {
					t.Errorf("%d, %s: %v", status, when, err)
				}
			case err != nil || len(items) != 1:
				t.Errorf("%d, %s: %d tools, %v", status, when, len(items), err)
			case told == nil || !strings.Contains(*told, "the response to tools/list came on the stream of GET"):
				t.Errorf("%d, %s: it is not told", status, when)
			}
			_ = c.Close(t.Context())
		}
	}
}

// Nothing extends the wait for a response whose exchange has ended: neither progress nor a request of the server
// that was answered, which begin a timeout again.
func TestWait_LostResponseIsNotExtended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, script(friendly(nil)))
		p := c.register(call{Request: newRequest(jsonrpc.IntID(77), "tools/call", nil), timeout: time.Hour})
		p.lost <- mcphttp.ErrEmpty
		start := time.Now()
		go func() {
			for range 3 {
				time.Sleep(lostGrace / 4)
				p.restart <- struct{}{}
				p.progress <- struct{}{}
			}
		}()
		_, err := c.wait(t.Context(), p, nil, time.Hour)
		if took := time.Since(start); !errors.Is(err, mcphttp.ErrEmpty) || took != lostGrace {
			t.Errorf("%v after %s", err, took)
		}
		_ = c.Close(t.Context())
	})
}
