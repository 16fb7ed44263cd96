package probe

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Conn is a connection to the server. One that ends is opened again at its next
// use, unless it was opened by hand.
type Conn struct {
	r    *Runner
	raw  bool // opened without negotiation
	link *link
	// linted has the linter look at its frames.
	linted bool
	config func(*client.Config)
	target func(*client.Target)
}

// connect opens the connection unless it is open.
func (c *Conn) connect(ctx context.Context) error {
	if c.link != nil && (c.link.alive() || c.raw) {
		return nil
	}
	if c.link != nil {
		c.close(ctx)
		if err := c.r.restarted(); err != nil {
			return err
		}
	}
	cfg, target := c.r.clientConfig(), c.r.cfg.Target
	target.Env = c.r.environment(target)
	if c.config != nil {
		c.config(&cfg)
	}
	if c.target != nil {
		c.target(&target)
	}
	l := newLink(c.r.journal, c.linted, c == c.r.shared)
	l.client = c.r.dial(target, l, cfg)
	c.link = l
	if c.raw {
		return l.client.Open(ctx)
	}
	if err := l.client.Connect(ctx); err != nil {
		return err
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
	if c.link == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	_ = c.link.client.Close(ctx) // how the process ended is in the link
	c.link.finish()
}

// finish gives the linter and the record the end of the connection.
func (l *link) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed != nil {
		l.feed.Tick(time.Now())
	}
	l.feed = nil
	if l.record != nil && !l.finished {
		l.record.Close("")
	}
	l.finished = true
}

// hasOpenStream reports an event stream of a request that has not ended.
func (l *link) hasOpenStream() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.headers {
		if x.Method == http.MethodPost && x.Phase == transport.ExchangeHeaders && strings.HasPrefix(x.ResponseHeader.Get("Content-Type"), "text/event-stream") {
			return true
		}
	}
	return false
}

// tick lets the linter know what time it is.
func (l *link) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed != nil {
		l.feed.Tick(time.Now())
	}
}

// ID returns an id that the connection has not used.
func (c *Conn) ID() jsonrpc.ID { return c.link.client.NextID() }

// Request returns a request with a new id. The params are JSON, empty for none;
// stateless requests get the _meta that they require.
func (c *Conn) Request(method, params string) []byte {
	return c.RequestAs(c.ID(), method, params)
}

// RequestAs is Request with an id.
func (c *Conn) RequestAs(id jsonrpc.ID, method, params string) []byte {
	return jsonrpc.AppendRequest(nil, id, method, c.params(params))
}

func (c *Conn) params(params string) []byte {
	if !c.r.server.Revision.IsStateless() || c.raw && c.link.client.Revision() == "" && params == "-" {
		return []byte(params)
	}
	// A method without progress, so that no progress token is added.
	return c.link.client.RequestParams("0", "tools/list", []byte(params))
}

// Ping returns a request that any server has to answer: ping, or server/discover
// in stateless revisions.
func (c *Conn) Ping() []byte {
	if c.r.server.Revision.IsStateless() {
		return c.Request("server/discover", "")
	}
	return c.Request("ping", "")
}

// List returns a request for the first list that the server offers, or a ping.
func (c *Conn) List() []byte {
	if kind, ok := c.r.server.FirstList(); ok {
		return c.Request(kind.Method, "")
	}
	return c.Ping()
}

// Notify sends a notification; it is not waited for.
func (c *Conn) Notify(ctx context.Context, method, params string) error {
	return c.send(ctx, jsonrpc.AppendNotification(nil, method, []byte(params)))
}

// send sends bytes.
func (c *Conn) send(ctx context.Context, frame []byte) error {
	ctx, stop := context.WithTimeout(ctx, c.r.cfg.Timeout)
	defer stop()
	return c.link.client.Send(ctx, frame)
}

// UseRevision has the further frames be those of a revision, on a connection that
// was opened by hand.
func (c *Conn) UseRevision(r revision.Revision) { c.link.client.UseRevision(r) }

// Take returns the messages of the server that were no responses to what was
// waited for, since the last call: its requests, its notifications, and responses
// that match nothing.
func (c *Conn) Take() []Frame { return c.link.takeExtra() }

// mode says what a frame deserves.
type mode uint8

const (
	expected  mode = iota // a well-formed request: a response must come
	patient               // a call, which may take longer than it is waited for
	tolerated             // a response may come: it is waited for as long as a ping takes
)

// exchange sends a frame and waits for what it leads to.
func (c *Conn) exchange(ctx context.Context, frame []byte, m mode, timeout time.Duration) Outcome {
	l := c.link
	w := newWait(frame, m)
	l.register(w)
	start := time.Now()
	o := Outcome{Sent: frame, Kind: Silent}
	defer func() {
		if o.late == nil {
			l.unregister(w)
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	first := c.r.journal.last()
	sent := make(chan error, 1)
	go func() { sent <- l.client.Send(ctx, frame) }() // ends with ctx
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var quiet <-chan time.Time // nothing comes any more
	var pinged <-chan Outcome
	missing := len(w.ids)
	var spare []arrival // responses without id
wait:
	for {
		select {
		case a := <-w.got:
			if a.status != 0 {
				o.Status = a.status
			}
			if a.frame.Bytes == nil {
				// Over HTTP+SSE the response is on another stream.
				if a.done && !c.r.isStream() { // a frame of it was received before
					quiet = time.After(0)
				}
				continue
			}
			if a.null && len(w.ids) > 0 { // one with the id may follow
				spare = append(spare, a)
				continue
			}
			o.add(a)
			if missing--; missing <= 0 && pinged == nil {
				quiet = time.After(0)
			}
		case err := <-sent:
			sent = nil
			if err != nil {
				o.fail(err)
				if o.Kind == Network {
					break wait
				}
				quiet = time.After(0)
				continue
			}
			if m == tolerated && c.r.isStream() && pinged == nil {
				pinged = c.pingLater(ctx)
			}
		case p := <-pinged:
			pinged = nil
			if p.Kind == Dead {
				o.Kind = Dead
				break wait
			}
			if quiet = time.After(c.r.quietTime()); o.Frame != nil && missing <= 0 {
				quiet = time.After(0)
			}
		case <-quiet:
			break wait
		case <-timer.C:
			if o.Frame == nil && m == expected {
				o.Kind = Hang
			}
			break wait
		case <-l.client.Done():
			if len(w.got) > 0 { // what came before the end
				continue
			}
			o.Kind = Dead
			break wait
		case <-ctx.Done():
			o.Kind, o.Err = Network, context.Cause(ctx)
			break wait
		}
	}
	o.Took = time.Since(start)
	if o.Frame == nil && len(spare) > 0 {
		o.add(spare[0])
	}
	if o.Kind == Silent && o.Frame != nil {
		o.settle()
	}
	if o.Kind == Silent && o.Status >= 400 {
		o.Kind = Refused
	}
	if o.Kind == Silent && m == expected && o.Frame == nil {
		o.Kind = Hang
	}
	if o.Kind == Network && !c.reachable(ctx) {
		o.Kind = Dead
	}
	if o.Kind == Dead {
		o.exit = l.exit(ctx)
	}
	o.evidence = c.r.journal.evidence(l.number, first, frame, o)
	if o.Kind == Silent && m == tolerated && len(w.ids) > 0 && c.r.isStream() {
		o.late = l.keep(w, start)
	}
	return o
}

// newWait returns the wait for the responses to a frame.
func newWait(frame []byte, m mode) *wait {
	w := &wait{frame: frame, got: make(chan arrival, 256), anyNull: m == tolerated}
	e := jsonrpc.Scan(frame)
	if e.Kind == jsonrpc.Batch {
		for element := range jsonrpc.Elements(frame) {
			inner := jsonrpc.Scan(element)
			if id := inner.ID.Of(element); len(id) > 0 {
				w.ids = append(w.ids, string(id))
			}
		}
		return w
	}
	if id := e.ID.Of(frame); len(id) > 0 {
		w.ids = []string{string(id)}
	}
	return w
}

// add takes a response.
func (o *Outcome) add(a arrival) {
	o.Responses = append(o.Responses, a.frame.Bytes)
	if o.Frame == nil {
		o.Frame = a.frame.Bytes
		return
	}
	o.Extra = append(o.Extra, a.frame.Bytes)
}

// settle reads the first response.
func (o *Outcome) settle() {
	e := jsonrpc.Scan(o.Frame)
	o.ID = jsonrpc.ID(e.ID.Of(o.Frame))
	o.Kind = Result
	if e.Kind == jsonrpc.ErrorResponse || e.Error.Present() {
		err := jsonrpc.ParseError(o.Frame, e)
		o.Kind, o.Code, o.Message = Error, err.Code, err.Message
		o.code, _ = jsonrpc.Member(o.Frame, "error", "code")
	}
}

// fail takes an error of sending.
func (o *Outcome) fail(err error) {
	var status *transport.StatusError
	switch {
	case errors.As(err, &status):
		o.Status = status.Status
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

// evidence returns the frame that was sent and what came back, by their numbers.
func (j *journal) evidence(conn, first int, sent []byte, o Outcome) []Frame {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []Frame
	heads := [][]byte{sent[:min(len(sent), maxEvidence)]}
	for _, r := range o.Responses {
		heads = append(heads, r[:min(len(r), maxEvidence)])
	}
	for _, f := range j.frames[min(first, len(j.frames)):] {
		if f.Conn != conn || len(found) >= maxFrames {
			continue
		}
		if slices.ContainsFunc(heads, func(h []byte) bool { return bytes.Equal(h, f.Bytes) || len(h) > 0 && bytes.Contains(f.Bytes, h) }) {
			found = append(found, f)
		}
	}
	return found
}
