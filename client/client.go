package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Tap is told of every frame and fact, before the client acts on it. Its
// methods are called from several goroutines and hold up the wire while they
// run.
type Tap interface {
	transport.Receiver
	Step(Step)
	// Lost reports that a request of the client will get no response, although
	// the connection goes on. The error is a *CancelledError when the request
	// was cancelled and no message shows that.
	Lost(id jsonrpc.ID, err error)
}

// Config says how the client behaves. The zero value is usable.
type Config struct {
	// Name and Version are what the server is told of this program.
	Name, Version string

	// Revision pins what is spoken: one with a handshake is offered in it, and
	// one without is spoken from the first request on, each of which then says
	// who asks (2026-07-28, basic, "_meta"). When empty, the server is asked
	// first; see [Client.Connect].
	Revision revision.Revision

	// Era is what an earlier connection to the same server found out. The
	// server is then not asked, unless that has stopped working.
	Era revision.Era

	// Lenient goes on where a client should stop: with a revision that nobody
	// has released. What was passed over is said on the step.
	Lenient bool

	// Roots are offered to the server, file URIs (specification, client /
	// roots).
	Roots []Root

	// OnServerRequest takes the requests of the server that want a human or a model. It is
	// called from the wire and must not wait; the answer goes out by
	// [Client.Respond] or [Client.RespondError]. When nil, nothing of the kind is
	// offered.
	OnServerRequest func(ServerRequest)
	// Withdraw, when set, is told that nobody waits any more for the answer to
	// something that stood in a result; see [ServerRequest]. It must not wait.
	OnInputDropped func(jsonrpc.ID)
	// Sampling and Elicitation say which of them Ask takes; only these are
	// offered in the handshake.
	Sampling, Elicitation bool

	// SessionExpired, when set, is called when the stream on which the server
	// speaks unasked comes back with HTTP 404: the server does not know the
	// session any more. It must not wait. A request that meets the same is
	// reported by its own error.
	SessionExpired func(error)

	// Note, when set, is called with a sentence about something that the client
	// has decided by itself and the user should know. It is called from the wire
	// and must not wait.
	Note func(text string)

	// Tasks says that whoever calls follows what [Client.CreatedTask] finds in
	// the answer. Only then a server without handshake is told that it may
	// answer so (2026-07-28, extensions / tasks).
	Tasks bool

	// Authorization, when set, gets the credentials that a server over HTTP
	// wants. The time that it takes for that counts for no timeout.
	Authorization transport.Authorization

	// Timeout is how long a request may stay without an answer or a progress
	// notification; 60 s when zero. MaxTimeout bounds the whole wait however
	// much progress is reported; ten times Timeout when zero.
	Timeout, MaxTimeout time.Duration

	// ConnectTimeout bounds each wait while connecting; 30 s when zero.
	ConnectTimeout time.Duration
}

// Client is one connection. Connect comes first and once; everything else may
// be called from any goroutine.
type Client struct {
	cfg    Config
	tap    Tap
	target Target
	// redial makes a new transport to the same server; nil when somebody else
	// has made the one there is.
	redial   func() transport.Transport
	nextID   atomic.Int64
	logLevel atomic.Pointer[string]        // what each request without handshake asks for
	early    atomic.Pointer[chan struct{}] // 1 slot: the server spoke before it was asked; nil unless that tells something
	modern   atomic.Bool                   // there is no handshake; set before the first request without

	authorizing atomic.Int32  // requests that wait for credentials
	authorized  atomic.Int32  // how many such waits have ended
	probeWithin time.Duration // how long the question may stay open; by the target when zero
	backoff     time.Duration // the first pause before something is asked again

	mu             sync.Mutex
	t              transport.Transport // another one after a restart
	machine        *negotiate.Machine
	status         transport.Exchange // of the newest message over HTTP while connecting
	pending        map[jsonrpc.ID]*pending
	handshake      Handshake
	connected      bool
	list           *checklist                   // of Connect, once it has worked
	renegotiation  *renegotiation               // nil until one is needed
	unexpected     *unexpectedFrame             // what came in place of a response while connecting
	garbled        bool                         // and it was probably meant as the response
	replies        replyQueue                   // responses that wait to be sent
	serverRequests map[jsonrpc.ID]string        // requests of the server that wait for a response, with their task
	inputs         map[jsonrpc.ID]*inputWait    // input requests that wait for a result
	tools          toolHeaders                  // of the newest list of tools
	subscriptions  map[jsonrpc.ID]*Subscription // those that may still be acknowledged
	wake           chan struct{}                // 1 slot: replies has grown
	room           chan struct{}                // 1 slot: replies has shrunk
	closing        bool                         // nothing more is started

	quit          chan struct{}
	closed        sync.Once
	wg            sync.WaitGroup
	cancellations sync.WaitGroup // cancellations on their way; grows only while closing is false
}

// New returns a client for the target. Nothing is started before Connect.
func New(target Target, tap Tap, cfg Config) *Client {
	c := newClient(tap, cfg)
	c.target = target
	c.redial = func() transport.Transport {
		return target.transport(transportDeps{c.lost, cfg.SessionExpired, c.requestHeaders, c.authorization(), cfg.Lenient})
	}
	c.t = c.redial()
	return c
}

// NewOver returns a client over a transport that somebody else has made.
func NewOver(t transport.Transport, tap Tap, cfg Config) *Client {
	c := newClient(tap, cfg)
	c.t = t
	return c
}

func newClient(tap Tap, cfg Config) *Client {
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.MaxTimeout == 0 {
		cfg.MaxTimeout = 10 * cfg.Timeout
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 30 * time.Second
	}
	return &Client{
		cfg: cfg, tap: tap, backoff: 500 * time.Millisecond,
		machine:        negotiate.New(negotiate.Config{}), // until Connect
		pending:        make(map[jsonrpc.ID]*pending),
		serverRequests: make(map[jsonrpc.ID]string),
		wake:           make(chan struct{}, 1),
		room:           make(chan struct{}, 1),
		quit:           make(chan struct{}),
	}
}

// transport is the one in force.
func (c *Client) transport() transport.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Done is closed when nothing more can come from the server; Err then says
// why. Both belong to the transport.
func (c *Client) Done() <-chan struct{} { return c.transport().Done() }

// Err says why the connection ended, nil when it was closed by us.
func (c *Client) Err() error { return c.transport().Err() }

// Revision is the one in force, empty before the handshake.
func (c *Client) Revision() revision.Revision { return c.Handshake().Revision }

// Close ends the connection and waits until its goroutines and its process
// have gone. The context bounds how long the server may take to end by itself.
func (c *Client) Close(ctx context.Context) error {
	c.closed.Do(func() {
		c.mu.Lock()
		c.closing = true
		c.mu.Unlock()
		close(c.quit)
	})
	c.awaitCancellations(ctx)
	err := c.transport().Close(ctx)
	c.cancellations.Wait()
	c.wg.Wait()
	return err
}

// start runs something in a goroutine that Close waits for; false when the
// client is closing.
func (c *Client) start(do func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.wg.Go(do)
	return true
}

// Send writes any bytes as one frame and waits for nothing. See
// [transport.Transport] for what the error means.
func (c *Client) Send(ctx context.Context, frame []byte) error {
	return c.transport().Send(ctx, frame)
}

// Notify sends a notification; params may be nil.
func (c *Client) Notify(ctx context.Context, method string, params []byte) error {
	return c.transport().Send(ctx, jsonrpc.AppendNotification(nil, method, params))
}

// Cancel gives up a request that waits and tells the server that it is no
// longer wanted (specification, basic / utilities / cancellation). The reason
// may be empty. initialize cannot be cancelled. Over HTTP without a handshake
// the server learns of it by the end of the exchange (2026-07-28).
func (c *Client) Cancel(ctx context.Context, id jsonrpc.ID, reason string) error {
	c.mu.Lock()
	p := c.pending[id]
	c.mu.Unlock()
	switch {
	case id == "":
		return errors.New("a cancellation must name the id of a request")
	case p != nil && p.method == "initialize":
		return errors.New("initialize must not be cancelled")
	case p != nil:
		p.deliver(reply{err: ErrCancelled})
		if c.abandoner() != nil {
			return nil // who waited does it
		}
	}
	return c.sendCancellation(ctx, id, reason)
}

// abandoner is the transport if it can take a request back by itself.
func (c *Client) abandoner() transport.Abandoner {
	if a, ok := c.transport().(transport.Abandoner); ok && c.modern.Load() {
		return a
	}
	return nil
}

// sendCancellation lets the server know that a request is no longer wanted.
func (c *Client) sendCancellation(ctx context.Context, id jsonrpc.ID, reason string) error {
	if a := c.abandoner(); a != nil && a.Abandon(id) {
		return nil
	}
	params := append([]byte(`{"requestId":`), id...)
	if reason != "" {
		params = fmt.Appendf(params, `,"reason":%s`, jsonrpc.StringID(reason))
	}
	return c.Notify(ctx, "notifications/cancelled", append(params, '}'))
}

// NextID returns an id that this connection has not used. The composer shows
// it before it is spent.
func (c *Client) NextID() jsonrpc.ID { return jsonrpc.IntID(c.nextID.Add(1)) }
