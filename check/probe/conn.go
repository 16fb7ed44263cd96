package probe

import (
	"context"
	"crypto/rand"
	"net"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// A Conn is a connection to the server. If it ends, the next use reopens it, unless it was opened without
// negotiation.
type Conn struct {
	r   *Runner
	raw bool // opened without negotiation
	// current is the newest link. Other probes may read it while it is reopened.
	current atomic.Pointer[link]
	// linted reports whether all lint rules apply to the frames of the connection. Otherwise only
	// the rules about responses apply, until an odd frame is sent.
	linted bool
	// correct reports whether only correct frames are sent on the connection. Then each finding of
	// the linter is a mistake of the server.
	correct bool
	// odd reports whether an incorrect frame may have been sent on the connection.
	odd atomic.Bool
	// fresh reports whether the connection always starts a new process instead of using one from
	// the standby.
	fresh bool
	// waits reports whether the connection leaves its process to another connection; see standby.
	waits  bool
	config []func(*client.Config)
	target []func(*client.Target)
}

// markName is the environment variable that marks the descendants of a server process.
const markName = "MCPTEA_CHECK"

// link returns the current physical connection, or nil before the first one. An exchange must call it only
// once, because the connection may be reopened in between.
func (c *Conn) link() *link { return c.current.Load() }

// over sets the current link to an open one.
func (c *Conn) over(l *link) *Conn {
	c.current.Store(l)
	return c
}

// connect opens the connection unless it is open. It waits for rate limits.
func (c *Conn) connect(ctx context.Context) (err error) {
	for range maxResent {
		if err = c.connectOnce(ctx); err == nil || ctx.Err() != nil {
			break
		}
		if l := c.link(); l == nil || !c.r.limits.note(l.refusal(err)) {
			break
		}
	}
	return err
}

func (c *Conn) connectOnce(ctx context.Context) error {
	before := c.link()
	if before != nil && (before.alive() && !before.mute.Load() || c.raw) {
		return nil
	}
	if before != nil {
		c.close(ctx)
		if err := c.r.restarted(); err != nil {
			return err
		}
	}
	if l := c.r.standby.take(c); l != nil {
		return c.takeOver(ctx, l)
	}
	cfg, target := c.r.clientConfig(), c.r.cfg.Target
	target.Env = c.r.environment(target)
	if target.IsStdio() {
		target.Mark = markName + "=" + rand.Text() // must differ between runs even with the same seed
		target.Env = append(target.Env, target.Mark)
	}
	for _, change := range c.config {
		change(&cfg)
	}
	for _, change := range c.target {
		change(&target)
	}
	l := newLink(c.r.journal, c)
	l.client = c.r.dial(target, l, cfg)
	c.current.Store(l)
	c.r.limits.pass(ctx)
	if c.raw {
		return l.client.Open(ctx)
	}
	started := c.r.starters.begin()
	err := l.client.Connect(ctx)
	started()
	return c.connected(ctx, l, err)
}

// takeOver connects with a process from the standby.
func (c *Conn) takeOver(ctx context.Context, l *link) error {
	l.adopt(c)
	c.current.Store(l)
	defer c.r.stock()
	c.r.limits.pass(ctx)
	if c.raw {
		return nil
	}
	isStarting := time.Since(l.started) < c.r.start()/2
	err := l.client.Connect(ctx)
	if isStarting {
		c.r.starters.took(time.Since(l.started))
	}
	return c.connected(ctx, l, err)
}

// connected records how the handshake on a link ended. It returns the error of the handshake.
func (c *Conn) connected(ctx context.Context, l *link, err error) error {
	if err != nil {
		l.mute.Store(true) // reopened at the next use
		return err
	}
	if len(c.config) == 0 && len(c.target) == 0 {
		l.stage, l.capabilities = stageReady, l.client.Handshake().ClientCaps
	}
	if c != c.r.shared {
		// Wait until the server has sent everything that belongs to the handshake. Otherwise a late
		// message could be mistaken for the response to a probe.
		c.ping(ctx)
	}
	return nil
}

// closeTimeout bounds the shutdown of a connection.
const closeTimeout = 2 * time.Second

func (c *Conn) close(ctx context.Context) {
	l := c.link()
	if l == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	l.mu.Lock()
	l.closing = true
	l.act("closed the connection")
	l.mu.Unlock()
	_ = l.client.Close(ctx) // the link records how the process ended
	l.finish()
}

// client returns the client that builds the frames. If the connection was never opened because the
// probe has ended, it returns the client of the shared connection.
func (c *Conn) client() *client.Client {
	l := c.link()
	if l == nil {
		l = c.r.shared.link()
	}
	return l.client
}

// firstID is the smallest id of probe requests. Handshakes use smaller ids.
const firstID = 1000

// ID returns an id that is unique within the run, so that a frame may be sent on any connection.
func (c *Conn) ID() jsonrpc.ID { return jsonrpc.IntID(firstID + c.r.ids.Add(1)) }

// Request returns a request with a new id. params is JSON or empty. Stateless requests get the required _meta.
func (c *Conn) Request(method, params string) []byte {
	return c.RequestAs(c.ID(), method, params)
}

// RequestAs is like Request, but uses the given id.
func (c *Conn) RequestAs(id jsonrpc.ID, method, params string) []byte {
	return jsonrpc.EncodeRequest(id, method, c.params(params))
}

func (c *Conn) params(params string) []byte {
	if !c.r.server.Revision.IsStateless() {
		return []byte(params)
	}
	// The id and the method only matter for progress tokens. tools/call gets no token here.
	return c.client().RequestParams(jsonrpc.IDOf("0"), "tools/list", []byte(params))
}

// Ping returns a cheap request that this server answers: ping or server/discover if possible.
func (c *Conn) Ping() []byte { return c.Request(c.r.signOfLife(), "") }

// List returns a request for the first list that the server offers, or a ping.
func (c *Conn) List() []byte {
	if kind, ok := c.r.server.FirstList(); ok {
		return c.Request(kind.Method, "")
	}
	return c.Ping()
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method, params string) error {
	return c.send(ctx, jsonrpc.EncodeNotification(method, []byte(params)))
}

// send sends bytes.
func (c *Conn) send(ctx context.Context, frame []byte) error {
	l := c.link()
	if l == nil {
		return net.ErrClosed
	}
	c.note(frame, Outcome{})
	ctx, stop := context.WithTimeout(ctx, c.r.requestTimeout())
	defer stop()
	return l.client.Transmit(ctx, transport.Outgoing{Bytes: frame, Note: transport.Note{Breaks: transport.Probed}})
}

// UseRevision switches a connection opened without negotiation to a revision.
func (c *Conn) UseRevision(r revision.Revision) {
	if l := c.link(); l != nil {
		l.client.UseRevision(r)
	}
}

// Take returns server messages for which no exchange was waiting: requests, notifications and
// unmatched responses. It returns those received since the last call.
func (c *Conn) Take() []Frame {
	l := c.link()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.extra[l.taken:]
	if l.taken += len(taken); l.stage == stageAltered { // no other probe needs them
		l.extra, l.taken = nil, 0
	}
	return taken
}
