package http

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

const (
	call   = `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`
	answer = `{"jsonrpc":"2.0","id":3,"result":{}}`
	hello  = `{"jsonrpc":"2.0","id":0,"method":"initialize"}`
	note   = `{"jsonrpc":"2.0","method":"notifications/progress"}`
)

type loss struct {
	id  jsonrpc.ID
	err error
}

// rig is a transport that speaks to a scripted server.
type rig struct {
	*Streamable
	*transporttest.Recorder
	t    *testing.T
	lost chan loss
	url  string
}

// newRig starts a server and opens a transport to it; both end with the test.
func newRig(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) *rig {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newRigAt(t, server.URL+"/mcp", change...)
}

func newRigAt(t *testing.T, url string, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{Recorder: transporttest.NewRecorder(), t: t, lost: make(chan loss, 100), url: url}
	c := Config{URL: url, Lost: func(id jsonrpc.ID, err error) { r.lost <- loss{id, err} }}
	for _, f := range change {
		f(&c)
	}
	r.Streamable = NewStreamable(c)
	if err := r.Open(t.Context(), r.Recorder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	ctx, cancel := context.WithTimeout(context.Background(), transporttest.Timeout)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		r.t.Errorf("Close: %v", err)
	}
}

func (r *rig) send(frame string) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), transporttest.Timeout)
	defer cancel()
	return r.Send(ctx, transport.Outgoing{Bytes: []byte(frame)})
}

func (r *rig) mustSend(frame string) {
	r.t.Helper()
	if err := r.send(frame); err != nil {
		r.t.Fatalf("Send(%s): %v", frame, err)
	}
}

func (r *rig) nothingMore() {
	r.t.Helper()
	select {
	case f := <-r.In:
		r.t.Errorf("one frame too many: %q", f.Bytes)
	case l := <-r.lost:
		r.t.Errorf("request %s was given up: %v", l.id, l.err)
	default:
	}
}

func (r *rig) loses(id jsonrpc.ID, words ...string) {
	r.t.Helper()
	_ = r.loss(id, words...) // judged there
}

// loss is loses, and returns the error.
func (r *rig) loss(id jsonrpc.ID, words ...string) error {
	r.t.Helper()
	l := transporttest.Receive(r.t, r.lost, "the loss of request "+id.String())
	if !l.id.Same(id) {
		r.t.Errorf("request %s was given up, want %s", l.id, id)
	}
	transporttest.WantError(r.t, l.err, words...)
	return l.err
}

func (r *rig) finished() transport.Exchange {
	r.t.Helper()
	return transporttest.Receive(r.t, r.Ended, "the end of the exchange")
}

// event writes the lines of an event and its blank line, at once.
func event(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, l := range lines {
		_, _ = fmt.Fprintf(w, "%s\n", l)
	}
	_, _ = io.WriteString(w, "\n")
	w.(http.Flusher).Flush()
}
