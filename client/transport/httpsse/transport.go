package httpsse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
)

// Config is the server and how to reach it. [New] copies what it needs.
type Config struct {
	// URL is that of the event stream, http or https. Its user and password are
	// sent as Basic credentials.
	URL string

	// Header is sent with each request to the origin of URL and overrides the
	// headers of the transport. A name without values removes the header. The case
	// of names is kept.
	Header http.Header

	// Exchanges is the number of exchanges of an earlier transport with the same
	// receiver; the IDs continue after it.
	Exchanges uint32

	// Authorization adds credentials; nil adds none.
	Authorization transport.Authorization

	// Lenient accepts an endpoint at another origin and follows redirects there,
	// without the headers that may have secrets.
	Lenient bool
}

var _ transport.Transport = (*Transport)(nil)

// Transport is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type Transport struct {
	config Config
	client *rpchttp.Client
	server *url.URL // set by Open

	life  context.Context // ends with the stream and with Close
	end   context.CancelFunc
	ended sync.Once
	done  chan struct{}
	reads sync.WaitGroup // the goroutine of the stream
	posts sync.WaitGroup // increased only while endpoint is set and cause is nil

	mu       sync.Mutex
	opened   bool
	closing  bool
	cause    error    // why frames can no longer be sent; nil while they can
	endpoint *url.URL // of the POSTs; nil before the endpoint event
	revision string
}

// New returns a transport that is not open.
func New(c Config) *Transport {
	c.Header = c.Header.Clone()
	t := &Transport{config: c, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	t.client = rpchttp.NewClient(nil, t.closedErr)
	t.client.Lenient = c.Lenient
	t.client.Authorization = c.Authorization
	t.client.CountFrom(c.Exchanges)
	return t
}

// Open opens the event stream and waits for the endpoint event (2024-11-05,
// transports, "HTTP with SSE"). The errors are
// *transport.StatusError, *[rpchttp.ContentError], *[FirstEventError],
// *[OriginError], [ErrStreamEnded], and failures to reach the server. After an
// error only Close may be called.
func (t *Transport) Open(ctx context.Context, r transport.Receiver) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u, err := rpchttp.Endpoint(t.config.URL)
	if err != nil {
		return err
	}
	s := &stream{t: t, ready: make(chan struct{})}
	if err := t.begin(u, r, s); err != nil {
		return err
	}
	select {
	case <-s.ready:
		return nil
	case <-t.done:
		return t.openErr()
	case <-ctx.Done():
		return t.giveUp(s, context.Cause(ctx))
	}
}

// begin starts reading the stream.
func (t *Transport) begin(u *url.URL, r transport.Receiver, s *stream) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return rpchttp.ErrClosed
	case t.opened:
		return errors.New("the connection is open already")
	}
	t.server, t.client.Receiver, t.opened = u, r, true
	t.reads.Go(func() { t.finish(s.run()) })
	return nil
}

// openErr returns why the stream ended before the endpoint event.
func (t *Transport) openErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// giveUp ends Open early.
func (t *Transport) giveUp(s *stream, why error) error {
	text := "has no response yet"
	if s.open.Load() {
		text = `opened an event stream without an "endpoint" event yet`
	}
	err := fmt.Errorf("GET %s %s: %w", secret.URL(t.config.URL), text, why)
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
func (t *Transport) finish(err error) {
	t.mu.Lock()
	if t.cause == nil {
		t.cause = err
	}
	t.mu.Unlock()
	t.end()
	t.posts.Wait()
	t.ended.Do(func() { close(t.done) })
}

// Endpoint returns the URL of the POSTs, secrets masked; empty before Open has
// succeeded.
func (t *Transport) Endpoint() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.endpoint == nil {
		return ""
	}
	return secret.URL(t.endpoint.String())
}

// Negotiated sets the MCP-Protocol-Version header of later POSTs, if the revision has
// it (2025-06-18, transports, "Protocol Version Header"): servers of later revisions
// support this transport, too.
func (t *Transport) Negotiated(revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = revision
}

// Listen returns nil: the stream of the server is open already.
func (t *Transport) Listen() <-chan struct{} { return nil }

// Close cancels the stream and all POSTs, which ends the session, and waits for the
// goroutines. It does not wait for the server and ignores the context. Further calls
// wait for the first one.
func (t *Transport) Close(context.Context) error {
	t.mu.Lock()
	t.closing = true
	if t.cause == nil {
		t.cause = rpchttp.ErrClosed
	}
	t.mu.Unlock()
	t.end()
	t.reads.Wait()
	t.posts.Wait()
	t.client.CloseIdle()
	t.ended.Do(func() { close(t.done) })
	return nil
}

// Done is closed at the end of the event stream, when its opening has failed,
// and by Close.
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err returns why the stream ended or could not be opened: [ErrStreamEnded] if the
// server closed it. It is nil before that, and after Close.
func (t *Transport) Err() error {
	select {
	case <-t.done:
	default:
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.cause, rpchttp.ErrClosed) {
		return nil
	}
	return t.cause
}

// closedErr returns why frames can no longer be sent, nil while they can.
func (t *Transport) closedErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// header returns the headers of a request: the defaults, overridden by the user's.
func (t *Transport) header(method string) http.Header {
	h := rpchttp.DefaultHeaders(t.server)
	if method == http.MethodGet {
		h["Accept"] = []string{rpchttp.StreamType}
	} else {
		h["Content-Type"] = []string{rpchttp.JSONType}
		t.mu.Lock()
		revision := t.revision
		t.mu.Unlock()
		rpchttp.SetRevision(h, revision)
	}
	rpchttp.SetHeaders(h, t.config.Header)
	return h
}
