package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// Conn is a connection to the server. One that ends is opened again at its next
// use, unless it was opened by hand.
type Conn struct {
	r   *Runner
	raw bool // opened without negotiation
	// current is the newest link. Other probes read it while it is opened again.
	current atomic.Pointer[link]
	// linted has the linter look at its frames.
	linted bool
	// correct reports that nothing else than correct frames is sent on it, as on the shared one:
	// what the linter finds is the server's.
	correct bool
	// tries lets it start a process while others are held back.
	tries  bool
	config []func(*client.Config)
	target []func(*client.Target)
}

// markName is an environment variable of a server that finds its descendants.
const markName = "MCPTEA_CHECK"

// link is the physical connection; nil before the first one. What belongs to one exchange takes it
// once: the connection may be opened again meanwhile.
func (c *Conn) link() *link { return c.current.Load() }

// over has a connection use a link that is open.
func (c *Conn) over(l *link) *Conn {
	c.current.Store(l)
	return c
}

// connect opens the connection unless it is open. It waits while the server takes no more requests.
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
	if !c.tries {
		c.r.starts.pass(ctx)
	}
	cfg, target := c.r.clientConfig(), c.r.cfg.Target
	target.Env = c.r.environment(target)
	if target.IsStdio() {
		target.Mark = markName + "=" + rand.Text() // also differs between runs with one seed
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
	if started(); err != nil {
		l.mute.Store(true) // it is opened again at the next use
		return err
	}
	if len(c.config) == 0 && len(c.target) == 0 {
		l.stage, l.capabilities = stageReady, l.client.Handshake().ClientCaps
	}
	if c != c.r.shared {
		// What the server sends for the handshake has come before the first frame of a
		// probe: a stray response would be taken for one to that.
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
	_ = l.client.Close(ctx) // how the process ended is in the link
	l.finish()
}

// client makes the frames. A connection that was never opened, because the probe has
// ended, sends none.
func (c *Conn) client() *client.Client {
	l := c.link()
	if l == nil {
		l = c.r.shared.link()
	}
	return l.client
}

// firstID is the first id of what the probes send; those of the handshakes are smaller.
const firstID = 1000

// ID returns an id that no connection of the run has used: a frame made for one of them
// can meet no other request, whichever it is sent on.
func (c *Conn) ID() jsonrpc.ID { return jsonrpc.IntID(firstID + c.r.ids.Add(1)) }

// Request returns a request with a new id. The params are JSON, empty for none;
// stateless requests get the _meta that they require.
func (c *Conn) Request(method, params string) []byte {
	return c.RequestAs(c.ID(), method, params)
}

// RequestAs is Request with an id.
func (c *Conn) RequestAs(id jsonrpc.ID, method, params string) []byte {
	return jsonrpc.EncodeRequest(id, method, c.params(params))
}

func (c *Conn) params(params string) []byte {
	if !c.r.server.Revision.IsStateless() {
		return []byte(params)
	}
	// A method without progress, so that no progress token is added.
	return c.client().RequestParams(jsonrpc.IDOf("0"), "tools/list", []byte(params))
}

// Ping returns a request that this server answers, which costs it little: ping, or
// server/discover in stateless revisions, if it does.
func (c *Conn) Ping() []byte { return c.Request(c.r.signOfLife(), "") }

// List returns a request for the first list that the server offers, or a ping.
func (c *Conn) List() []byte {
	if kind, ok := c.r.server.FirstList(); ok {
		return c.Request(kind.Method, "")
	}
	return c.Ping()
}

// Notify sends a notification; it is not waited for.
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
	return l.client.Send(ctx, frame)
}

// UseRevision has the further frames be those of a revision, on a connection that
// was opened by hand.
func (c *Conn) UseRevision(r revision.Revision) {
	if l := c.link(); l != nil {
		l.client.UseRevision(r)
	}
}

// Take returns the messages of the server that were no responses to what was
// waited for, since the last call: its requests, its notifications, and responses
// that match nothing.
func (c *Conn) Take() []Frame {
	l := c.link()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.extra[l.taken:]
	if l.taken += len(taken); l.stage == stageAltered { // no other probe asks for them
		l.extra, l.taken = nil, 0
	}
	return taken
}

// mode says what a frame deserves.
type mode uint8

const (
	expected  mode = iota // a well-formed request: a response must come
	patient               // a call, which may take longer than it is waited for
	tolerated             // a response may come: it is waited for as long as a ping takes
)

// errNoPong ends an exchange: a ping behind the frame got no response.
var errNoPong = errors.New("no response to a ping")

// exchange sends a frame and waits for what it leads to. It waits while the server takes no more requests, and
// sends the frame again then.
func (c *Conn) exchange(ctx context.Context, frame []byte, m mode, timeout time.Duration) (o Outcome) {
	limits := &c.r.limits
	for range maxResent {
		limits.pass(ctx)
		o = c.through(ctx, c.link(), frame, m, timeout)
		if !limits.note(o.Status, o.Header) || ctx.Err() != nil {
			break
		}
	}
	return o
}

// through is exchange on one link.
func (c *Conn) through(ctx context.Context, l *link, frame []byte, m mode, timeout time.Duration) Outcome {
	start := time.Now()
	before := l.countGarbled()
	w := l.expect(frame, m == tolerated, !c.r.isStream())
	inTime, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	complete := w.complete
	if m == tolerated && c.r.isStream() {
		complete = nil // more may come until a ping behind the frame is answered
	}
	followed := make(chan error, 1)
	go func() { followed <- c.follow(inTime, l, w, m) }() // ends with the exchange
	var err error
	ended := false
	select {
	case <-complete:
		select {
		case <-l.client.Done():
			ended = true
		case <-time.After(0):
		}
	case err = <-followed:
	case <-inTime.Done():
	case <-l.client.Done():
		ended = true
	}
	if err == errNoPong && !ended { // both ends of the wait may come at once, and the end of stdin is seen before that of stdout
		ended = l.endsSoon(ctx)
	}
	o := l.outcome(w)
	o.Sent, o.Took, o.link = frame, time.Since(start), l
	if inTime.Err() != nil && ctx.Err() == nil && !ended {
		l.did("stopped waiting for a response after " + phrase.Duration(timeout))
	}
	switch {
	case ctx.Err() != nil:
		o.Kind, o.Err = Network, context.Cause(ctx)
	case ended:
		o.Kind = Dead
	case err == errNoPong && !c.raw: // nothing has ended: mcptea has only waited
		o.Kind = Mute
		l.mute.Store(true)
	case err == errNoPong: // a ping before initialize need not be answered
	case err != nil && inTime.Err() == nil:
		o.fail(err)
	}
	if o.Kind == Silent {
		o.settle()
	}
	switch {
	case o.Kind == Silent && o.Status >= 400:
		o.Kind = Refused
	case o.Kind == Silent:
		o.cut = len(w.ids) > 0 && !c.r.isStream() && inTime.Err() == nil
		if m == expected {
			o.Kind = Hang
		}
	case o.Kind == Mute && len(o.Responses) > 0:
		o.settle()
	case o.Kind == Network && !c.reachable(ctx):
		o.Kind = Dead
	}
	o.waited, o.garbled = o.Took, l.countGarbled() > before
	if c.note(frame, o); o.Kind == Dead {
		o.exit = l.exit(ctx)
	}
	l.mu.Lock()
	o.acts = l.actsSince(start)
	l.mu.Unlock()
	if o.Kind == Silent && m == tolerated && len(w.ids) > 0 && c.r.isStream() {
		o.late = l.keep(w, start)
	} else {
		l.unregister(w)
	}
	return o
}

// endsSoon reports whether the connection has ended, or does before the exit of a process would be known.
func (l *link) endsSoon(ctx context.Context) bool {
	if !l.alive() {
		return true
	}
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-l.client.Done():
		return true
	case <-l.gone:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// follow sends a frame, and returns when no response to it has to be waited for.
func (c *Conn) follow(ctx context.Context, l *link, w *wait, m mode) error {
	if err := l.client.Send(ctx, w.frame); err != nil {
		return err
	}
	var quiet <-chan time.Time
	if m == tolerated && c.r.isStream() {
		if c.raw && len(w.ids) > 0 && c.respondsAlone(ctx, l, w) {
			return nil
		}
		if k := c.pingOn(ctx, l).Kind; k == Dead || k == Mute {
			return errNoPong
		}
		l.mu.Lock()
		w.atOnce = len(w.responses) > 0
		l.mu.Unlock()
		timer := time.NewTimer(c.r.quietTime())
		defer timer.Stop()
		quiet = timer.C
	}
	select {
	case <-w.complete:
	case <-quiet:
	case <-ctx.Done():
	}
	return nil
}

// respondsAlone reports whether a frame before initialize has a response when the process has had
// time to start. No ping is sent behind it then: that may end the server, which is not what the
// frame has done.
func (c *Conn) respondsAlone(ctx context.Context, l *link, w *wait) bool {
	l.mu.Lock()
	before := l.stage == stageBefore
	l.mu.Unlock()
	if !before {
		return false
	}
	wait := func(d time.Duration, done <-chan struct{}) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-done:
			return true
		case <-timer.C:
		case <-ctx.Done():
		}
		return false
	}
	if !wait(time.Until(l.started.Add(c.r.start()*3/2))+c.r.quietTime(), w.complete) {
		return false
	}
	l.mu.Lock()
	w.atOnce = true
	l.mu.Unlock()
	wait(c.r.quietTime(), l.client.Done()) // as long as it may need to end, or to say more
	return true
}

// settle reads the first response.
func (o *Outcome) settle() {
	if o.Frame == nil {
		return
	}
	e := jsonrpc.Scan(o.Frame)
	o.ID = e.ID.Of(o.Frame).ID()
	o.Kind = Result
	if e.Kind == jsonrpc.ErrorResponse || e.Error.Present() {
		err := jsonrpc.ParseError(o.Frame, e)
		o.Kind, o.Code, o.Message = Error, err.Code, err.Message
		o.code, _ = jsonrpc.Member(o.Frame, "error", "code")
		if n, ok := jsonrpc.Integer(o.code); ok { // also of a damaged response
			o.Code = n
		}
	}
}

// fail takes an error of sending.
func (o *Outcome) fail(err error) {
	var status *transport.StatusError
	switch {
	case errors.As(err, &status):
		o.Status, o.Header = status.Status, status.Header
		if o.Frame == nil && len(bytes.TrimSpace(status.Body)) > 0 {
			if e := jsonrpc.Scan(status.Body); e.Kind.IsResponse() {
				o.Frame = status.Body
			} else {
				o.Message = string(status.Body)
			}
		}
	case o.Frame == nil:
		o.Kind, o.Err = Network, err
	}
}

// ping asks for a sign of life and waits for any response. A server that gives none, whatever
// it is asked, is taken to be alive.
func (c *Conn) ping(ctx context.Context) Outcome { return c.pingOn(ctx, c.link()) }

func (c *Conn) pingOn(ctx context.Context, l *link) Outcome {
	method := c.r.signOfLife()
	switch {
	case c.raw && (method == "ping" || method == "server/discover"):
		method = "ping" // the only request that may come before initialize
	case c.raw || c.r.life == "" && c.r.server.Took > 0:
		return Outcome{Kind: Result}
	}
	frame := c.Request(method, "")
	w := l.expect(frame, false, true)
	defer l.unregister(w)
	start := time.Now()
	limit := c.r.atLeast(aliveTimeout)
	if c.raw { // the process may not have started yet
		limit = c.r.firstTimeout(limit)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if err := l.client.Send(ctx, frame); err != nil {
		var status *transport.StatusError
		if errors.As(err, &status) {
			c.r.limits.note(status.Status, status.Header)
			return Outcome{Kind: Refused, Status: status.Status}
		}
		return Outcome{Kind: Dead, Err: err}
	}
	select {
	case <-w.complete:
		took := time.Since(start)
		c.r.note(&c.r.pings, took)
		return Outcome{Kind: Result, Took: took}
	case <-l.client.Done():
		return Outcome{Kind: Dead}
	case <-ctx.Done():
		l.did("stopped waiting for a response to " + method + " after " + phrase.Duration(limit))
		return Outcome{Kind: Mute, Err: fmt.Errorf("no response to %s within %s", method, limit)}
	}
}

// reachable reports whether a server that a frame could not be sent to accepts
// another one.
func (c *Conn) reachable(ctx context.Context) bool {
	if !c.link().alive() {
		return false
	}
	k := c.ping(ctx).Kind
	return k != Dead && k != Mute
}
