//go:build unix

package stdio

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// tape is a Receiver that keeps everything.
type tape struct {
	transporttest.Discard
	mu     sync.Mutex
	frames []transport.Frame
	stderr []string
	events []transport.ProcessEvent
	news   chan struct{}
}

func newTape() *tape { return &tape{news: make(chan struct{}, 1)} }

func (r *tape) poke() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

func (r *tape) Frame(f transport.Frame) (at transport.Ref) {
	f.Bytes = bytes.Clone(f.Bytes)
	r.mu.Lock()
	r.frames = append(r.frames, f)
	r.mu.Unlock()
	r.poke()
	return at
}

func (r *tape) Stderr(l transport.Line) {
	r.mu.Lock()
	r.stderr = append(r.stderr, l.Text)
	r.mu.Unlock()
	r.poke()
}

func (r *tape) Process(e transport.ProcessEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	r.poke()
}

func (r *tape) incoming() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, f := range r.frames {
		if f.Dir == transport.In {
			texts = append(texts, fmt.Sprintf("%s|%q", shorten(f.Bytes), f.Ending))
		}
	}
	return texts
}

func shorten(b []byte) string {
	if len(b) > 64 {
		return fmt.Sprintf("(%d bytes)", len(b))
	}
	return string(b)
}

// await waits until the condition holds.
func (r *tape) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-r.news:
		case <-deadline:
			t.Fatalf("no %s within 10 s; got %q", what, r.incoming())
		}
	}
}
