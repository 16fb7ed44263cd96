package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
)

// cutStreams is a server that cuts each event stream after one event. What follows comes on the streams
// that resume it, one event on each, if the events have ids.
type cutStreams struct {
	*scriptedHTTP
	withIDs bool

	mu      sync.Mutex
	events  map[string][]string // by call: what follows
	resumed int
}

func (s *cutStreams) call(w http.ResponseWriter, id, method string) bool {
	if method != "tools/call" {
		return false
	}
	s.mu.Lock()
	s.events[id] = []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id + `,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id + `,"progress":2}}`,
		`{"jsonrpc":"2.0","id":` + id + `,"result":{"of":` + id + `}}`,
	}
	s.mu.Unlock()
	s.next(w, id, 0)
	return true
}

// next writes an event of a call, and ends the stream.
func (s *cutStreams) next(w http.ResponseWriter, id string, n int) {
	s.mu.Lock()
	events := s.events[id]
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if n >= len(events) {
		return
	}
	if s.withIDs {
		_, _ = fmt.Fprintf(w, "id: %s/%d\nretry: 1\n", id, n)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", events[n])
}

func (s *cutStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, n, resumes := strings.Cut(r.Header.Get("Last-Event-ID"), "/")
	if r.Method != http.MethodGet || !resumes {
		s.scriptedHTTP.ServeHTTP(w, r)
		return
	}
	s.mu.Lock()
	s.resumed++
	s.mu.Unlock()
	at, _ := strconv.Atoi(n)
	s.next(w, call, at+1)
}

// A server that cuts each stream after one event: with ids of events each call has its result and all of its
// progress, once and in order; without, it has one error. Nothing is sent twice.
func TestRelay_ServerCutsEachStream(t *testing.T) {
	calls := 40
	if os.Getenv("MCPTEA_E2E") != "" {
		calls = 1000
	}
	for _, withIDs := range []bool{true, false} {
		t.Run(fmt.Sprintf("event ids %t", withIDs), func(t *testing.T) {
			s := &cutStreams{scriptedHTTP: &scriptedHTTP{sessions: map[string]bool{}, calls: map[string]int{}}, withIDs: withIDs, events: map[string][]string{}}
			s.answer = s.call
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			h := tapOf(t, server.URL+"/mcp")
			h.connects()
			window := make(chan struct{}, 4)
			go func() {
				for id := 1; id <= calls; id++ {
					window <- struct{}{}
					h.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":%d}}}`, id, id))
				}
			}()
			responses, progress := map[string]int{}, map[string]string{}
			for answered := 0; answered < calls; {
				line := []byte(h.gets())
				e := jsonrpc.Scan(line)
				if !e.Kind.IsResponse() {
					params := e.Params.Of(line)
					progress[string(jsonrpc.Get(params, "progressToken"))] += string(jsonrpc.Get(params, "progress"))
					continue
				}
				<-window
				answered++
				id := e.ID.Of(line).String()
				if responses[id]++; e.Kind == jsonrpc.Response != withIDs {
					t.Fatalf("call %s: %s", id, line)
				}
				if !withIDs && !strings.Contains(string(line), "may have been carried out") {
					t.Errorf("the error does not say that it may have been carried out: %s", line)
				}
			}
			h.sends(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
			for line := h.gets(); !strings.Contains(line, `"last"`); line = h.gets() {
				t.Errorf("the host got %s after all responses", line)
			}
			h.close()
			s.scriptedHTTP.mu.Lock()
			defer s.scriptedHTTP.mu.Unlock()
			for id := range calls {
				key := strconv.Itoa(id + 1)
				want := "12"
				if !withIDs {
					want = "1"
				}
				if responses[key] != 1 || s.scriptedHTTP.calls[key] != 1 || progress[key] != want {
					t.Errorf("call %s: %d responses, carried out %d times, progress %s", key, responses[key], s.scriptedHTTP.calls[key], progress[key])
				}
			}
			if withIDs != (s.resumed > 0) {
				t.Errorf("%d streams were resumed", s.resumed)
			}
		})
	}
}

// A redirect to another origin is not followed: neither the message nor a credential leaves, whatever the
// status; the request has an error that names it.
func TestRelay_RedirectKeepsCredentials(t *testing.T) {
	var mu sync.Mutex
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		elsewhere = append(elsewhere, fmt.Sprintf("%s %s, Authorization %q, session %q", r.Method, r.URL, r.Header.Get("Authorization"), r.Header.Get("Mcp-Session-Id")))
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			s, url := startScripted(t)
			h := tapWith(t, url, http.Header{"Authorization": {"Bearer secret-token"}})
			h.connects()
			s.mu.Lock()
			s.answer = func(w http.ResponseWriter, _, method string) bool {
				if method != "tools/call" {
					return false
				}
				w.Header().Set("Location", other.URL+"/mcp")
				w.WriteHeader(status)
				return true
			}
			s.mu.Unlock()
			h.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`)
			line := h.gets(`"id":5`, `"code":-32603`, strconv.Itoa(status))
			if strings.Contains(line, "secret-token") {
				t.Errorf("the error has the token: %s", line)
			}
			h.close()
			if text, err := os.ReadFile(h.path); err != nil || strings.Contains(string(text), "secret-token") {
				t.Errorf("the recording has the token, or is not there: %v", err)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	for _, request := range elsewhere {
		t.Errorf("the other origin got %s", request)
	}
}

// A server that does not know a session after its restart responds with 400, as the official SDKs do: the
// call is sent again in another session. One that says the same of a session that has just begun keeps its word.
func TestRelay_SessionDenied(t *testing.T) {
	const denial = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`
	deny := func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(denial))
		return true
	}
	t.Run("once", func(t *testing.T) {
		s, url := startScripted(t)
		h := tapOf(t, url)
		h.connects()
		denied := false
		s.mu.Lock()
		s.answer = func(w http.ResponseWriter, _, method string) bool {
			if method == "tools/call" && !denied {
				denied = true
				return deny(w)
			}
			return false
		}
		s.mu.Unlock()
		h.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`)
		line := h.gets()
		for !strings.Contains(line, `"id":5`) {
			line = h.gets()
		}
		if n := s.began(); !strings.Contains(line, `"result"`) || n != 2 {
			t.Errorf("%d sessions; the host got %s", n, line)
		}
	})
	t.Run("always", func(t *testing.T) {
		s, url := startScripted(t)
		h := tapOf(t, url)
		h.connects()
		s.mu.Lock()
		s.answer = func(w http.ResponseWriter, _, method string) bool { return method == "tools/call" && deny(w) }
		s.mu.Unlock()
		for id := 5; id < 10; id++ {
			h.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
			h.gets(fmt.Sprintf(`"id":%d`, id), "No valid session ID provided")
		}
		if n := s.began(); n != 2 {
			t.Errorf("%d sessions began", n)
		}
	})
}
