package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// scripted is a transport whose server is a function: what it returns for a
// frame comes back at once, in order.
type scripted struct {
	answer func(frame string) []string

	mu     sync.Mutex
	r      transport.Receiver
	sent   []string
	done   chan struct{}
	err    error
	header string
}

func script(answer func(string) []string) *scripted {
	return &scripted{answer: answer, done: make(chan struct{})}
}

func (s *scripted) Open(_ context.Context, r transport.Receiver) error { s.r = r; return nil }

func (s *scripted) Negotiated(revision string) { s.header = revision }

func (s *scripted) Listen() <-chan struct{} { return nil }

func (s *scripted) Done() <-chan struct{} { return s.done }

func (s *scripted) Err() error { return s.err }

func (s *scripted) Close(context.Context) error { s.end(nil); return nil }

func (s *scripted) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
	default:
		s.err = err
		close(s.done)
	}
}

func (s *scripted) Send(_ context.Context, o transport.Outgoing) error {
	frame := o.Bytes
	s.mu.Lock()
	s.sent = append(s.sent, string(frame))
	s.mu.Unlock()
	s.r.Frame(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Dir: transport.Out, Note: o.Note})
	for _, a := range s.answer(string(frame)) {
		s.push(a)
	}
	return nil
}

func (s *scripted) push(frame string) {
	b := []byte(frame)
	s.r.Frame(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.In})
	clear(b) // the bytes were only lent
}

func (s *scripted) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.sent, "\n")
}

// checks is a tap that keeps the steps.
type checks struct {
	transporttest.Discard
	lost  []jsonrpc.ID
	mu    sync.Mutex
	steps map[string]Step
}

func (c *checks) Lost(id jsonrpc.ID, _ error) { c.lost = append(c.lost, id) }

func (c *checks) Step(s Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.steps == nil {
		c.steps = map[string]Step{}
	}
	c.steps[s.Name] = s
}

func idOf(frame string) string {
	b := []byte(frame)
	return jsonrpc.Scan(b).ID.Of(b).String()
}

func result(frame, result string) []string {
	return []string{fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, idOf(frame))}
}

const welcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"x-new":{"y":1}},"serverInfo":{"name":"fake","version":"1"},"instructions":"hi"}`

// friendly answers the handshake and passes the rest on.
func friendly(rest func(string) []string) func(string) []string {
	return func(frame string) []string {
		switch {
		case strings.Contains(frame, `"initialize"`):
			return result(frame, welcome)
		case rest == nil || strings.Contains(frame, `notifications/initialized`):
			return nil
		}
		return rest(frame)
	}
}

func dial(t *testing.T, s *scripted) *Client {
	t.Helper()
	c := NewOver(s, &checks{}, Config{Name: "test", Version: "0", Era: revision.EraHandshake})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}
