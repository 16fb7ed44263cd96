package httpsse

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
)

// Config says which server to speak to. [New] copies what it needs.
type Config struct {
	// URL is where the event stream is, http or https. A user and password in
	// it are sent as Basic authorization.
	URL string

	// Header is sent with every request to the origin of URL and wins over
	// every header that the transport would set itself. A name with no values
	// takes the header away. The spelling of names is kept.
	Header http.Header

	// Exchanges is how many exchanges the receiver has seen from another
	// transport; the IDs go on after that.
	Exchanges uint32

	// Authorization, when set, signs every request and says what to do when
	// the server refuses one.
	Authorization transport.Authorization

	// Lenient lets the server name an endpoint at another origin, and follows
	// redirects to others. Headers that may hold secrets do not go there.
	Lenient bool

	// RootCAs are the authorities to trust; those of the system when nil.
	RootCAs *x509.CertPool
}

var _ transport.Transport = (*Transport)(nil)

// Transport is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type Transport struct {
	config Config
	client *rpchttp.Client
	server *url.URL // set by Open

	life  context.Context // over at the end of the stream, and with Close
	end   context.CancelFunc
	ended sync.Once
	done  chan struct{}
	reads sync.WaitGroup // the goroutine of the stream
	posts sync.WaitGroup // grows only while endpoint is set and over is nil

	mu       sync.Mutex
	opened   bool
	closing  bool
	cause    error    // why nothing more goes out, nil while something may
	endpoint *url.URL // where frames go; nil before the server has named it
	revision string
}

// New returns a transport for one server. It does nothing before Open.
func New(c Config) *Transport {
	c.Header = c.Header.Clone()
	t := &Transport{config: c, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	t.client = rpchttp.NewClient(c.RootCAs, t.closedErr)
	t.client.Lenient = c.Lenient
	t.client.Authorization = c.Authorization
	t.client.CountFrom(c.Exchanges)
	return t
}

// Open opens the event stream and waits until the server has named its
// endpoint (2024-11-05, transports, "HTTP with SSE"). The errors are
// *transport.StatusError, *[rpchttp.ContentError], *[FirstEventError],
// *[OriginError], [ErrStreamEnded], and failures to reach the server. After one
// of them the transport is good for Close alone.
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

// openErr says why the stream ended before its endpoint had come.
func (t *Transport) openErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// giveUp gives the opening up.
func (t *Transport) giveUp(s *stream, why error) error {
	text := "has not been answered yet"
	if s.open.Load() {
		text = `opened an event stream, but its "endpoint" event has not come yet`
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

// finish is the end of the stream, and with it of the connection: whatever is
// still on its way is cut off. Done is closed when nothing more can come in.
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

// Endpoint is the URL to which frames go, secrets masked, empty before Open has
// succeeded.
func (t *Transport) Endpoint() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.endpoint == nil {
		return ""
	}
	return secret.URL(t.endpoint.String())
}

// Negotiated makes every later POST carry the MCP-Protocol-Version header, if
// the revision knows it (2025-06-18, transports, "Protocol Version Header"):
// servers of later revisions speak this transport too.
func (t *Transport) Negotiated(revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = revision
}

// Listen does nothing: the stream on which the server speaks is open already.
func (t *Transport) Listen() <-chan struct{} { return nil }

// Close cancels the stream and all POSTs, which is how a session over HTTP+SSE
// ends, and waits for the goroutines. It does not wait for the server, so the
// context does not matter. Further calls wait for the first.
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

// Err says why the stream ended or could not be opened: [ErrStreamEnded] when
// the server closed it. It is nil before that, and when Close was first.
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

// closedErr says why nothing more goes out, nil while something may.
func (t *Transport) closedErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// header returns the headers of a request: the defaults, over them the user's.
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
