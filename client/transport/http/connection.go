package http

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// Config contains the server and the settings of the connection. A transport copies what it needs.
type Config struct {
	// URL is the URL of the endpoint, or of the event stream of HTTP+SSE, http or https. Its user and
	// password are sent as Basic credentials.
	URL string

	// Header is sent with each request to the origin of URL and overrides the
	// headers of the transport, also Accept and Content-Type. A name without values
	// removes the header. The case of names is kept.
	Header http.Header

	// Secrets are redacted in reports and errors. The transport adds the secrets of its requests. nil is
	// an empty set.
	Secrets *secret.Values

	// PerRequest, if not nil, returns additional headers of one request, such as the standard headers of
	// 2026-07-28. For a request without a frame, frame is nil and e is zero. Header overrides it. It is called
	// from several goroutines and must not keep the frame. HTTP+SSE has no such headers.
	PerRequest func(frame []byte, e jsonrpc.Envelope) http.Header

	// Exchanges is the number of exchanges of an earlier transport with the same
	// receiver; the IDs continue after it.
	Exchanges uint32

	// Authorization adds credentials, or is nil.
	Authorization transport.Authorization

	// Lenient follows redirects to other origins, and accepts an endpoint there,
	// without the headers that may have secrets.
	Lenient bool

	// Dial connects to the server instead of the network, or is nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS are the settings for the origin of URL.
	TLS TLS

	// Lost, if not nil, is called for a request that will have no response although
	// Send returned nil or early: its stream ended and cannot be resumed, or the
	// body was empty. It is called from a goroutine of the transport, at most once
	// per request, never after Close, and must not call Close. HTTP+SSE, which has one
	// stream, calls neither Lost nor Expired.
	Lost func(id jsonrpc.ID, err error)

	// Expired, if not nil, is called if reopening the stream of [Streamable.Listen]
	// fails with [ErrSessionExpired], for example after a restart of the server. It
	// is called from a goroutine of the transport, never after Close, and must not
	// call Close.
	Expired func(err error)
}

// connection holds the common parts of both transports.
type connection struct {
	config Config
	client *Client
	server *url.URL // set by open

	life  context.Context // bounds the exchanges
	end   context.CancelFunc
	done  chan struct{}
	tasks sync.WaitGroup // increased only while closing is false

	mu       sync.Mutex
	opened   bool
	closing  bool
	revision string
}

func (c *connection) init(config Config, closedErr func() error) {
	config.Header = config.Header.Clone()
	c.config, c.done = config, make(chan struct{})
	c.life, c.end = context.WithCancel(context.Background())
	c.client = NewClient(config.TLS, config.URL, closedErr)
	if config.Dial != nil {
		c.client.http.dialThrough(config.Dial)
	}
	c.client.Lenient, c.client.Authorization = config.Lenient, config.Authorization
	c.client.count.Store(config.Exchanges)
	if config.Secrets != nil {
		c.client.secrets = config.Secrets
	}
}

// open checks the URL of the server.
func (c *connection) open(ctx context.Context, r transport.Receiver) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u, err := Endpoint(c.config.URL)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closing:
		return errClosed
	case c.opened:
		return errors.New("the connection is open already")
	}
	c.server, c.client.Receiver, c.opened = u, r, true
	return nil
}

// start runs a task that Close waits for. It returns false after Close.
func (c *connection) start(task func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.tasks.Go(task)
	return true
}

// post begins the exchange of a frame and reports both.
func (c *connection) post(to *url.URL, header http.Header, m *message) *Exchange {
	ex := c.client.Begin(to, transport.PurposeMessage, http.MethodPost, header, m.frame)
	c.client.Receiver.Frame(transport.Frame{Bytes: m.frame, Envelope: m.envelope, Note: m.note, Time: time.Now(), Dir: transport.Out, Exchange: ex.Report.ID})
	return ex
}

// Negotiated sets the MCP-Protocol-Version header of later POSTs except initialize, if the protocol version has
// it (2025-06-18, transports, "Protocol Version Header"): servers of later versions support HTTP+SSE, too. A
// stateless version has no session, no GET stream and no resumption.
func (c *connection) Negotiated(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
}

// Done returns a channel that is closed by Close. Over HTTP+SSE it is also closed at the end of the event
// stream and when opening the stream has failed. Over Streamable HTTP a failed request does not end the
// connection.
func (c *connection) Done() <-chan struct{} { return c.done }

// Exchanges returns the number of exchanges so far.
func (c *connection) Exchanges() uint32 { return c.client.count.Load() }
