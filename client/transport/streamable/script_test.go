package streamable

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

const (
	call   = `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`
	answer = `{"jsonrpc":"2.0","id":3,"result":{}}`
	hello  = `{"jsonrpc":"2.0","id":0,"method":"initialize"}`
	note   = `{"jsonrpc":"2.0","method":"notifications/progress"}`
)

// witness is a Receiver that keeps everything.
type witness struct {
	mu        sync.Mutex
	exchanges []transport.Exchange
	in        chan transport.Frame
	out       chan transport.Frame
	ends      chan transport.Exchange
}

func newWitness() *witness {
	return &witness{in: make(chan transport.Frame, 1000), out: make(chan transport.Frame, 1000), ends: make(chan transport.Exchange, 1000)}
}

func (w *witness) Frame(f transport.Frame) {
	f.Bytes = bytes.Clone(f.Bytes)
	if f.Dir == transport.Out {
		w.out <- f
		return
	}
	w.in <- f
}
func (w *witness) Stderr(transport.Line)          {}
func (w *witness) Process(transport.ProcessEvent) {}
func (w *witness) Exchange(e transport.Exchange) {
	w.mu.Lock()
	w.exchanges = append(w.exchanges, e)
	w.mu.Unlock()
	if e.Phase == transport.ExchangeDone {
		w.ends <- e
	}
}

// reports returns the reports of one exchange.
func (w *witness) reports(id uint32) []transport.Exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []transport.Exchange
	for _, e := range w.exchanges {
		if e.ID == id {
			all = append(all, e)
		}
	}
	return all
}

type loss struct {
	id  jsonrpc.ID
	err error
}

// rig is a transport that speaks to a scripted server.
type rig struct {
	*Transport
	*witness
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
	r := &rig{witness: newWitness(), t: t, lost: make(chan loss, 100), url: url}
	c := Config{URL: url, Lost: func(id jsonrpc.ID, err error) { r.lost <- loss{id, err} }}
	for _, f := range change {
		f(&c)
	}
	r.Transport = New(c)
	if err := r.Open(t.Context(), r.witness); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		r.t.Errorf("Close: %v", err)
	}
}

func (r *rig) send(frame string) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	return r.Send(ctx, []byte(frame))
}

func (r *rig) mustSend(frame string) {
	r.t.Helper()
	if err := r.send(frame); err != nil {
		r.t.Fatalf("Send(%s): %v", frame, err)
	}
}

// await takes the next value of a channel, or fails the test.
func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

func (r *rig) frame(want string) transport.Frame {
	r.t.Helper()
	f := await(r.t, r.in, "the frame "+want)
	if string(f.Bytes) != want {
		r.t.Errorf("frame %q, want %q", f.Bytes, want)
	}
	return f
}

func (r *rig) nothingMore() {
	r.t.Helper()
	select {
	case f := <-r.in:
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

// loss is loses for who wants to look at the error too.
func (r *rig) loss(id jsonrpc.ID, words ...string) error {
	r.t.Helper()
	l := await(r.t, r.lost, "the loss of request "+string(id))
	if l.id != id {
		r.t.Errorf("request %s was given up, want %s", l.id, id)
	}
	says(r.t, l.err, words...)
	return l.err
}

func (r *rig) finished() transport.Exchange {
	r.t.Helper()
	return await(r.t, r.ends, "the end of the exchange")
}

// says checks the words that a user reads.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

// readBody answers every request with one body.
func body(status int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
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
