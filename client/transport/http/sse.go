package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"mcptea/client/transport"
)

var _ transport.Transport = (*SSE)(nil)

// SSE is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type SSE struct {
	connection
	ended sync.Once
	posts sync.WaitGroup // increased only while endpoint is set and cause is nil

	cause    error    // why frames can no longer be sent, or nil
	endpoint *url.URL // URL of the POSTs, or nil before the endpoint event
}

// NewSSE returns a transport that is not open.
func NewSSE(c Config) *SSE {
	t := &SSE{}
	t.init(c, t.closedErr)
	return t
}

// Open opens the event stream and waits for the endpoint event (2024-11-05,
// transports, "HTTP with SSE"). The errors are
// *transport.StatusError, *[ContentError], *[FirstEventError],
// *[OriginError], [ErrStreamEnded], and failures to reach the server. After an
// error only Close may be called.
func (t *SSE) Open(ctx context.Context, r transport.Receiver) error {
	if err := t.open(ctx, r); err != nil {
		return err
	}
	s := &sseStream{t: t, ready: make(chan struct{})}
	if !t.start(func() { t.finish(s.run()) }) {
		return errClosed
	}
	select {
	case <-s.ready:
		return nil
	case <-t.done:
		return t.closedErr()
	case <-ctx.Done():
		return t.giveUp(s, context.Cause(ctx))
	}
}

// giveUp ends Open early.
func (t *SSE) giveUp(s *sseStream, why error) error {
	text := "has no response yet"
	if s.open.Load() {
		text = `opened an event stream without an "endpoint" event yet`
	}
	err := fmt.Errorf("GET %s %s: %w", t.client.shownURL(t.config.URL), text, why)
	if first := s.first.Load(); first != nil {
		err = fmt.Errorf("%w: %w", first, why)
	}
	t.mu.Lock()
	if t.cause == nil {
		t.cause = err
	}
	t.mu.Unlock()
	t.end()
	<-t.done
	return err
}

// finish ends the connection after the stream: the POSTs are canceled, and Done is
// closed after them.
func (t *SSE) finish(err error) {
	t.mu.Lock()
	if t.cause == nil {
		t.cause = err
	}
	t.mu.Unlock()
	t.end()
	t.posts.Wait()
	t.ended.Do(func() { close(t.done) })
}

// Endpoint returns the URL of the POSTs, secrets masked, or empty before Open has succeeded.
func (t *SSE) Endpoint() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.endpoint == nil {
		return ""
	}
	return t.client.shownURL(t.endpoint.String())
}

// Listen returns nil: the stream of the server is open already.
func (t *SSE) Listen() <-chan struct{} { return nil }

// Close cancels the stream and all POSTs, which ends the session, and waits for the goroutines.
// It does not wait for the server and ignores the context. More calls wait for the first one.
func (t *SSE) Close(context.Context) error {
	t.mu.Lock()
	t.closing = true
	if t.cause == nil {
		t.cause = errClosed
	}
	t.mu.Unlock()
	t.end()
	t.tasks.Wait()
	t.posts.Wait()
	t.client.CloseIdle()
	t.ended.Do(func() { close(t.done) })
	return nil
}

// Err returns why the stream ended or could not be opened: [ErrStreamEnded] if the
// server closed it. It is nil before that, and after Close.
func (t *SSE) Err() error {
	select {
	case <-t.done:
	default:
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.cause, errClosed) {
		return nil
	}
	return t.cause
}

// closedErr returns why frames can no longer be sent, or nil while they can.
func (t *SSE) closedErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// header returns the headers of a request: the defaults, overridden by the user's.
func (t *SSE) header(method string) http.Header {
	h := DefaultHeaders(t.server)
	if method == http.MethodGet {
		h["Accept"] = []string{StreamType}
	} else {
		h["Content-Type"] = []string{JSONType}
		t.mu.Lock()
		revision := t.revision
		t.mu.Unlock()
		setRevision(h, revision)
	}
	SetHeaders(h, t.config.Header)
	return h
}
