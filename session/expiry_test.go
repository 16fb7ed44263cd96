package session

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// forgetful is a server over HTTP that can be made to forget its sessions.
func forgetful(t *testing.T) (url string, forget func()) {
	var born, valid atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		id := e.ID.Of(body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case e.MethodName(body) == "initialize":
			n := born.Add(1)
			valid.Store(n)
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(n))
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, id)
		case r.Header.Get("Mcp-Session-Id") != fmt.Sprint(valid.Load()):
			w.WriteHeader(http.StatusNotFound)
		case e.Kind == jsonrpc.Notification:
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() { valid.Store(0) }
}

func TestAForgottenSessionIsBegunAnew(t *testing.T) {
	before := reconnectRest
	reconnectRest = 0
	defer func() { reconnectRest = before }()
	for _, again := range []bool{true, false} {
		url, forget := forgetful(t)
		s, err := Open(Config{
			Target: client.Target{URL: url}, Record: "off", Reconnect: again,
			Client: client.Config{Revision: revision.R20251125},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		forget()
		lost := s.Start("ping", nil)
		<-lost.Done()
		if _, err := lost.Outcome(); err == nil {
			t.Error("what was asked of a forgotten session has an answer")
		}
		want := Ended
		if again {
			want = Ready
		}
		changed, stop := s.Store().Subscribe()
		for deadline := time.After(10 * time.Second); ; {
			if st := s.State(); st.Phase == want && (!again || st.Attempt == 2) {
				break
			}
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("the session is %s at attempt %d", s.State().Phase, s.State().Attempt)
			}
		}
		stop()
		if again {
			next := s.Start("ping", nil)
			<-next.Done()
			if _, err := next.Outcome(); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
