package probe

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// A stage is the progress of a connection toward the state of the shared one after its handshake.
type stage uint8

const (
	stageBefore  stage = iota // only pings were sent
	stageOpen                 // initialize is done; notifications/initialized is due
	stageReady                // only pings and list requests were sent after the handshake
	stageAltered              // anything else was sent
)

// maxSpare bounds the spare connections, because each is a process.
const maxSpare = 5

// note updates the stage after an exchange.
func (c *Conn) note(frame []byte, o Outcome) {
	e := jsonrpc.Scan(frame)
	params := e.Params.Of(frame)
	l := c.link()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case o.Kind > Error || e.Flaws != 0:
		l.stage = stageAltered
	case isPing(e, frame):
	case l.stage == stageReady && slices.ContainsFunc(client.ListKinds, func(k client.ListKind) bool { return e.HasMethod(frame, k.Method) }):
	case l.stage == stageBefore && e.HasMethod(frame, "initialize") && c.r.isUsual(params, o):
		l.stage = stageOpen
		l.capabilities, _ = jsonrpc.Member(params, "capabilities")
	case l.stage == stageOpen && e.HasMethod(frame, "notifications/initialized"):
		l.stage = stageReady
	default:
		l.stage = stageAltered
	}
}

// isUsual reports whether other probes can use a connection with these initialize params and outcome.
func (r *Runner) isUsual(params []byte, o Outcome) bool {
	capabilities, _ := jsonrpc.Member(params, "capabilities")
	return (string(capabilities) == "{}" || bytes.Equal(capabilities, r.server.Handshake.ClientCaps)) &&
		jsonrpc.Text(params, "clientInfo", "name") == cmp.Or(jsonrpc.Text(r.cfg.Client.As.ClientInfo(), "name"), r.cfg.Client.Name) && jsonrpc.Text(o.Result(), "protocolVersion") == string(r.server.Revision)
}

// Capabilities returns the capabilities declared on the shared connection, as JSON.
func (r *Run) Capabilities() string { return string(r.Server.Handshake.ClientCaps) }

// Ready returns a connection in the state that [Run.Fresh] creates: one left by another probe, or a new one.
func (r *Run) Ready() *Conn {
	if c := r.readySpare(); c != nil {
		return c
	}
	return r.Fresh()
}

// plain is like Ready, for plain forms of requests. The caller may still have to open the connection.
func (r *Run) plain() *Conn {
	if c := r.readySpare(); c != nil {
		return c
	}
	c := &Conn{r: r.runner}
	r.fresh = append(r.fresh, c)
	return c
}

// readySpare returns a spare connection in the state of a new shared one, or nil.
func (r *Run) readySpare() *Conn {
	c := r.Spare(r.Capabilities(), true)
	if c != nil {
		c.raw = false
	}
	return c
}

// Spare returns a connection left by another probe after a handshake with the given capabilities, or nil. If
// ready is false, notifications/initialized may still be due.
func (r *Run) Spare(capabilities string, ready bool) *Conn {
	if r.ended != "" {
		return nil
	}
	l := r.runner.spare(capabilities, ready)
	if l == nil {
		return nil
	}
	c := r.open((&Conn{r: r.runner, raw: true}).over(l))
	if ready && l.stage == stageOpen {
		_ = c.Notify(r.ctx, "notifications/initialized", "") // the ping reveals a failure
		c.ping(r.ctx)
	}
	return c
}

// spare removes and returns a fitting spare connection, or nil.
func (r *Runner) spare(capabilities string, ready bool) *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, l := range r.spares {
		if string(l.capabilities) == capabilities && (ready || l.stage == stageOpen) && l.alive() {
			r.spares = slices.Delete(r.spares, i, i+1)
			l.client.UseRevision(r.server.Revision)
			return l
		}
	}
	return nil
}

// ready returns the number of connections that [Run.Ready] can use. The caller holds r.mu.
func (r *Runner) ready() (n int) {
	for _, l := range r.spares {
		if bytes.Equal(l.capabilities, r.server.Handshake.ClientCaps) {
			n++
		}
	}
	return n
}

// keeps adds a connection to the spare ones if possible, and reports whether it did. It keeps none over HTTP,
// where connections are cheap.
func (r *Runner) keeps(ctx context.Context, l *link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.cfg.Target.URL != "" || l == nil || l.stage != stageOpen && l.stage != stageReady || len(r.spares) >= maxSpare || !l.alive() {
		return false
	}
	r.spares = append(r.spares, l)
	return true
}
