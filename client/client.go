package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// Tap receives every frame and event before the client acts on it. Its methods
// are called from several goroutines, and the transport waits for them.
type Tap interface {
	transport.Receiver
	Step(Step)
	// Lost reports that a request of the client will get no response, although
	// the connection is open. The error is a *CancelledError when the request was
	// cancelled, without a message.
	Lost(id jsonrpc.ID, err error)
}

// Interceptor is a [Tap] that can hold, change or drop frames on their way.
type Interceptor interface {
	Tap
	// Receive is like Tap.Frame, for a frame of the server. It calls Wire.Handle, with the place in the record,
	// for each frame that the client must process: immediately, or later from another goroutine.
	Receive(f transport.Frame, w Wire) transport.Ref
	// Send calls Wire.Transmit for each frame that replaces a frame of the client on the way to
	// the server, and returns its error. It waits at most until ctx ends.
	Send(ctx context.Context, frame transport.Outgoing, w Wire) error
}

// Wire is a connection as an [Interceptor] sees it.
type Wire interface {
	// Transmit sends a frame; see [transport.Transport].
	Transmit(ctx context.Context, frame transport.Outgoing) error
	// Handle acts on a frame as if the server had sent it. at is its place in the record.
	Handle(f transport.Frame, at transport.Ref)
}

// Config configures a client. The zero value is usable.
type Config struct {
	// Name and Version are sent as clientInfo.
	Name, Version string

	// As is the client whose behavior is imitated, or nil for mcptea itself. It replaces the clientInfo,
	// the capabilities, the form of the frames and the offered versions, if the profile defines them.
	As *profile.Profile

	// Revision is the only protocol version to use: offered by initialize, or in
	// the _meta of each request if it is stateless (2026-07-28, basic, "_meta").
	// When empty, the server is probed; see package negotiate.
	Revision revision.Revision

	// Era is the era that an earlier connection to the same server detected. The server is then not probed,
	// unless that era no longer works.
	Era revision.Era

	// Lenient continues where a client should stop, such as after an unreleased
	// protocol version. The step reports it.
	Lenient bool

	// Roots are offered to the server, file URIs (specification, client /
	// roots).
	Roots []Root

	// OnServerRequest receives the requests of the server that a user or a model
	// must respond to, by [Client.Respond] or [Client.RespondError]. It is called by
	// the reading goroutine and must not block. When nil, the client declares
	// neither sampling nor elicitation.
	OnServerRequest func(ServerRequest)
	// OnInputDropped, when set, is called when an input request of a result no longer needs a
	// response; see [ServerRequest]. It must not block.
	OnInputDropped func(jsonrpc.ID)
	// Sampling and Elicitation report which of these requests OnServerRequest accepts; only
	// these are declared as capabilities.
	Sampling, Elicitation bool

	// PassRoots, if set, reports whether OnServerRequest receives roots/list, too, instead of a response with
	// Roots. It must not block.
	PassRoots func() bool

	// SessionExpired, if set, is called when the GET stream fails with HTTP 404: the session has expired. It
	// must not block. A request that gets a 404 returns an error of its own.
	SessionExpired func(error)

	// Note, when set, is called with a sentence for the user about a decision of
	// the client. It is called by the reading goroutine and must not block.
	Note func(text string)

	// Tasks declares that callers follow the tasks that [Client.CreatedTask] returns. Only then do stateless
	// requests declare the tasks extension (2026-07-28, extensions / tasks).
	Tasks bool

	// Apps declares that the caller shows the apps of tools, or acts for a host that does. Only then is MCP
	// Apps declared (extension io.modelcontextprotocol/ui, capability negotiation).
	Apps bool

	// Skills declares that the caller verifies the files of skills. Only then is the extension declared
	// (SEP-2640).
	Skills bool

	// Events declares that the caller shows events. Only then is the extension declared (SEP-3415).
	Events bool

	// Authorization, if set, provides the credentials that a server over HTTP requires. Timeouts do not run in
	// the meantime.
	Authorization transport.Authorization

	// Secrets are redacted in events and errors that the tap receives, but not in frames. The client adds the
	// secrets of the target and of its requests. Nil is an empty set.
	Secrets *secret.Values

	// Timeout bounds the time without a response or a progress notification of a request; if zero, it is 60 s.
	// MaxTimeout bounds the whole wait, regardless of progress; if zero, it is ten times Timeout.
	Timeout, MaxTimeout time.Duration

	// ConnectTimeout bounds each wait while connecting; 30 s when zero.
	ConnectTimeout time.Duration

	// IDs, if set, returns the next id. It is for connections that share one count of ids. If nil,
	// the client has a count of its own. IDs must not block.
	IDs func() int64
}

// Client is one connection. Connect is called first and once; all other methods
// may be called from any goroutine.
type Client struct {
	cfg Config
	tap Tap
	// interceptor is the tap if it is one, else nil.
	interceptor Interceptor
	target      Target
	secrets     *secret.Values
	stderr      secret.Lines // secrets in lines; owned by the goroutine that reads stderr
	// redial makes a new transport to the same server; nil for a client over a
	// given transport.
	redial   func() transport.Transport
	nextID   atomic.Int64           // newest id
	logLevel atomic.Pointer[string] // log level in each stateless request
	// abandonProbe ends the wait for the response to the probe, or is nil if there is no wait.
	abandonProbe atomic.Pointer[context.CancelCauseFunc]

	// listening is the newest GET exchange on which the server may send messages, or 0. listens
	// reports that the exchange is open. toldElsewhere reports that a response arrived on it.
	listening     atomic.Uint32
	listens       atomic.Bool
	toldElsewhere atomic.Bool

	probeWithin time.Duration // timeout of the probe; if zero, the target decides
	backoff     time.Duration // pause before the first retry

	wake chan struct{} // 1 slot: the queue of responses has grown
	room chan struct{} // 1 slot: it has shrunk

	mu    sync.Mutex
	state state // changed by update only

	quit          chan struct{}
	closedFor     string // reason of [Client.CloseFor]; set before quit is closed
	closed        sync.Once
	wg            sync.WaitGroup
	cancellations sync.WaitGroup // cancellations on their way; grows only while closing is false
}

// New returns a client for the target. Nothing is started before Connect.
func New(target Target, tap Tap, cfg Config) *Client {
	if target.Shared != nil {
		cfg.Revision = target.Shared.Revision
	}
	c := newClient(tap, cfg)
	c.target = target
	target.AddSecrets(c.secrets)
	c.redial = func() transport.Transport {
		return target.transport(transportDeps{c.lost, cfg.SessionExpired, c.requestHeaders, c.authorization(), cfg.Lenient, c.secrets})
	}
	c.state.t = c.redial()
	return c
}

// NewOver returns a client over a given transport.
func NewOver(t transport.Transport, tap Tap, cfg Config) *Client {
	c := newClient(tap, cfg)
	c.state.t = t
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
	if cfg.Secrets == nil {
		cfg.Secrets = new(secret.Values)
	}
	interceptor, _ := tap.(Interceptor)
	c := &Client{
		cfg: cfg, tap: tap, interceptor: interceptor, secrets: cfg.Secrets, backoff: 500 * time.Millisecond,
		state: newState(cfg.Roots),
		wake:  make(chan struct{}, 1),
		room:  make(chan struct{}, 1),
		quit:  make(chan struct{}),
	}
	if first, ok := cfg.As.FirstID(); ok {
		c.nextID.Store(first - 1)
	}
	return c
}

// transport returns the current transport.
func (c *Client) transport() transport.Transport {
	return read(c, func(s *state) transport.Transport { return s.t })
}

// Done returns a channel that is closed when the connection has ended. Err then returns the reason.
func (c *Client) Done() <-chan struct{} { return c.transport().Done() }

// Err returns why the connection ended, nil after [Client.Close].
func (c *Client) Err() error { return c.secrets.Error(c.transport().Err()) }

// Revision returns the negotiated protocol version, or empty before that.
func (c *Client) Revision() revision.Revision { return c.Handshake().Revision }

// Close closes the connection and waits for its goroutines and its process to
// end. The context bounds how long the server may take to shut down by itself.
func (c *Client) Close(ctx context.Context) error { return c.CloseFor(ctx, "") }

// CloseFor is like [Client.Close], but the errors of pending requests contain the reason, which may be "".
func (c *Client) CloseFor(ctx context.Context, reason string) error {
	c.closed.Do(func() {
		c.closedFor = reason
		c.update(func(s *state) { s.closing = true })
		close(c.quit)
	})
	c.awaitCancellations(ctx)
	err := c.transport().Close(ctx)
	c.cancellations.Wait()
	c.wg.Wait()
	return err
}

// Watch observes the end of a server over stdio, see [stdio.Transport.Watch]. It is not called
// after Close.
func (c *Client) Watch(d time.Duration, abrupt bool) {
	if t, ok := c.transport().(*stdio.Transport); ok {
		t.Watch(d, abrupt)
	}
}

// start runs a function in a goroutine that Close waits for. It returns false
// when the client is closing.
func (c *Client) start(do func()) bool { return c.startIn(&c.wg, do) }

func (c *Client) startIn(group *sync.WaitGroup, do func()) (started bool) {
	c.update(func(s *state) {
		if started = !s.closing; started {
			group.Go(do)
		}
	})
	return started
}

// Send writes any bytes as one frame, and waits for no response. See
// [transport.Transport] for the error.
func (c *Client) Send(ctx context.Context, frame []byte) error {
	return c.Transmit(ctx, transport.Outgoing{Bytes: frame})
}

// Transmit is like [Client.Send], for a frame with the sender's knowledge about it.
func (c *Client) Transmit(ctx context.Context, frame transport.Outgoing) error {
	if c.interceptor != nil {
		return c.interceptor.Send(ctx, frame, wire{c})
	}
	return c.transport().Send(ctx, frame)
}

// Notify sends a notification; params may be nil.
func (c *Client) Notify(ctx context.Context, method string, params []byte) error {
	frame, ok := c.cfg.As.Notification(method, params)
	if !ok {
		frame = jsonrpc.EncodeNotification(method, params)
	}
	return c.Send(ctx, frame)
}

// isRequestID reports whether a notification can name an id: a RequestId is a string or an integer.
func isRequestID(id jsonrpc.ID) bool {
	return id.Type() == jsonrpc.IDString || id.Type() == jsonrpc.IDInteger
}

// NextID returns an id that this connection has not used.
func (c *Client) NextID() jsonrpc.ID {
	if c.cfg.IDs != nil {
		return jsonrpc.IntID(c.cfg.IDs())
	}
	return jsonrpc.IntID(c.nextID.Add(1))
}

// NewestID returns the newest id that NextID has taken from the client's own count.
func (c *Client) NewestID() int64 { return c.nextID.Load() }
