// Package transporttest has what tests of transports share: receivers that record
// or discard, waits with a deadline, and HTTP handlers.
package transporttest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/transport"
)

// Timeout bounds the wait of a test for an event that must happen.
const Timeout = time.Minute

// Discard is a [transport.Receiver] that ignores everything. Others embed it.
type Discard struct{}

// Frame implements [transport.Receiver].
func (Discard) Frame(transport.Frame) (at transport.Ref) { return at }

// Stderr implements [transport.Receiver].
func (Discard) Stderr(transport.Line) {}

// Process implements [transport.Receiver].
func (Discard) Process(transport.ProcessEvent) {}

// Exchange implements [transport.Receiver].
func (Discard) Exchange(transport.Exchange) {}

// Recorder is a [transport.Receiver] that records frames and exchanges.
type Recorder struct {
	Discard
	In, Out chan transport.Frame    // the frames of each direction; 1000 slots
	Ended   chan transport.Exchange // the finished exchanges; 1000 slots

	mu        sync.Mutex
	exchanges []transport.Exchange
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder {
	const slots = 1000
	return &Recorder{
		In: make(chan transport.Frame, slots), Out: make(chan transport.Frame, slots), Ended: make(chan transport.Exchange, slots),
	}
}

// Frame implements [transport.Receiver].
func (r *Recorder) Frame(f transport.Frame) (at transport.Ref) {
	f.Bytes = bytes.Clone(f.Bytes)
	if f.Dir == transport.Out {
		r.Out <- f
		return at
	}
	r.In <- f
	return at
}

// Exchange implements [transport.Receiver].
func (r *Recorder) Exchange(x transport.Exchange) {
	r.mu.Lock()
	r.exchanges = append(r.exchanges, x)
	r.mu.Unlock()
	if x.Phase == transport.ExchangeDone {
		r.Ended <- x
	}
}

// Reports returns the reports of one exchange, oldest first.
func (r *Recorder) Reports(id uint32) []transport.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []transport.Exchange
	for _, x := range r.exchanges {
		if x.ID == id {
			found = append(found, x)
		}
	}
	return found
}

// String returns the reports of all exchanges as one text, to search for secrets.
func (r *Recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%+v", r.exchanges)
}

// WantFrame receives the next incoming frame and compares it.
func (r *Recorder) WantFrame(t testing.TB, want string) transport.Frame {
	t.Helper()
	f := Receive(t, r.In, "frame "+want)
	if string(f.Bytes) != want {
		t.Errorf("frame %q, want %q", f.Bytes, want)
	}
	return f
}

// Receive returns the next value of a channel. If none arrives in time it ends the test.
func Receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Timeout):
		t.Fatalf("no %s within %s", what, Timeout)
		panic("unreachable")
	}
}

// Secret is the secret of tests: no error and no report may contain it.
const Secret = "hunter2"

// WantError checks that an error contains the words, and not [Secret].
func WantError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not contain %q", err, w)
		}
	}
	if strings.Contains(err.Error(), Secret) {
		t.Errorf("error %q contains a secret", err)
	}
}

// Respond returns a handler with the same response to all requests. An empty
// contentType sends no such header.
func Respond(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
