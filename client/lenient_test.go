package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcptea/client/revision"
)

// bystander keeps the requests that reach a server.
type bystander struct {
	mu  sync.Mutex
	got []*http.Request
}

func (w *bystander) sees(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, r)
}

// clean fails when a secret has come through.
func (w *bystander) clean(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.got) == 0 {
		t.Error("nothing came to the other origin")
	}
	for _, r := range w.got {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "" || r.Header.Get("Content-Type") == "" {
			t.Errorf("%s came with %v", r.Method, r.Header)
		}
	}
}

var secrets = http.Header{"Authorization": {"Bearer secret"}, "X-Key": {"secret"}}

// A redirect to another origin is followed by who asks for that, and what may
// be secret stays behind.
func TestLenient_RedirectToOtherOrigin(t *testing.T) {
	var seen bystander
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.sees(r)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result(string(body), discovery)[0])
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/mcp", http.StatusTemporaryRedirect))
	defer first.Close()
	for _, lenient := range []bool{false, true} {
		c := New(Target{URL: "http://user:secret@" + strings.TrimPrefix(first.URL, "http://"), Header: secrets, Transport: TransportHTTP},
			&noted{}, Config{Revision: revision.R20260728, Lenient: lenient})
		err := c.Connect(t.Context())
		_ = c.Close(t.Context())
		if lenient && err != nil || !lenient && (err == nil || !strings.Contains(err.Error(), "307") || len(seen.got) > 0) {
			t.Errorf("lenient %v: %v, %d requests", lenient, err, len(seen.got))
		}
	}
	seen.clean(t)
}

// An endpoint at another origin is used by who asks for that, and what may be
// secret does not go there.
func TestLenient_EndpointAtOtherOrigin(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		endpointElsewhere(t, lenient)
	}
}

func endpointElsewhere(t *testing.T, lenient bool) {
	var seen bystander
	frames := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.sees(r)
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"initialize"`) {
			frames <- result(string(body), welcome)[0]
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "secret" {
			t.Error("the server itself has to get the headers")
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+other.URL+"/messages\n\n")
		flush := http.NewResponseController(w)
		_ = flush.Flush()
		for {
			select {
			case f := <-frames:
				_, _ = io.WriteString(w, "data: "+f+"\n\n")
				_ = flush.Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	defer first.Close()
	defer first.CloseClientConnections()
	tap := &noted{}
	c := New(Target{URL: first.URL, Header: secrets, Transport: TransportSSE}, tap, Config{Lenient: lenient})
	err := c.Connect(t.Context())
	_ = c.Close(t.Context())
	if !lenient {
		if err == nil || !strings.Contains(err.Error(), "another origin") || len(seen.got) > 0 {
			t.Errorf("%v, %d requests", err, len(seen.got))
		}
		return
	}
	if err != nil || !strings.Contains(tap.detail(StepStream), "because of --lenient") {
		t.Errorf("%v; the step says %q", err, tap.detail(StepStream))
	}
	seen.clean(t)
}

// detail is what the newest step of a name says.
func (n *noted) detail(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := ""
	for _, s := range n.steps {
		if s.Name == name {
			text = s.Detail
		}
	}
	return text
}
