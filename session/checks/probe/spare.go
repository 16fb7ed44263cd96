package probe

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// stage is how far a connection is from the handshake of the shared one.
type stage uint8

const (
	stageBefore  stage = iota // nothing but pings were sent
	stageOpen                 // notifications/initialized is due
	stageReady                // nothing but pings and lists were sent after the handshake
	stageAltered              // all else
)

// maxSpare bounds the connections, which are processes, that wait for a probe.
const maxSpare = 5

// note follows what is sent, and what it leads to.
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

// isUsual reports whether a probe may have a use for a connection after initialize with
// these params, and this outcome.
func (r *Runner) isUsual(params []byte, o Outcome) bool {
	capabilities, _ := jsonrpc.Member(params, "capabilities")
	return (string(capabilities) == "{}" || bytes.Equal(capabilities, r.server.Handshake.ClientCaps)) &&
		jsonrpc.Text(params, "clientInfo", "name") == cmp.Or(jsonrpc.Text(r.cfg.Client.As.ClientInfo(), "name"), r.cfg.Client.Name) && jsonrpc.Text(o.Result(), "protocolVersion") == string(r.server.Revision)
}

// Capabilities are those that the shared connection has declared, as JSON.
func (r *Run) Capabilities() string { return string(r.Server.Handshake.ClientCaps) }

// Ready returns a connection that is as [Run.Fresh] has opened it: one that another
// probe has left so, or a new one.
func (r *Run) Ready() *Conn {
	if c := r.readySpare(); c != nil {
		return c
	}
	return r.Fresh()
}

// plain returns a connection for plain forms of requests, as Ready does. It may have yet to be
// opened: how that ends is for the caller.
func (r *Run) plain() *Conn {
	if c := r.readySpare(); c != nil {
		return c
	}
	c := &Conn{r: r.runner}
	r.fresh = append(r.fresh, c)
	return c
}

// readySpare returns a connection that another probe has left as the shared one was opened; nil
// without one.
func (r *Run) readySpare() *Conn {
	c := r.Spare(r.Capabilities(), true)
	if c != nil {
		c.raw = false
	}
	return c
}

// Spare returns a connection after a handshake with some capabilities, which another probe
// has left so; nil without one. If it is not to be ready, notifications/initialized is due.
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
		_ = c.Notify(r.ctx, "notifications/initialized", "") // the ping shows a failure
		c.ping(r.ctx)
	}
	return c
}

// spare takes a connection that a probe has left; nil without one that fits.
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

// ready counts the connections that wait for [Run.Ready]. The caller holds mu.
func (r *Runner) ready() (n int) {
	for _, l := range r.spares {
		if bytes.Equal(l.capabilities, r.server.Handshake.ClientCaps) {
			n++
		}
	}
	return n
}

// keeps reports whether a connection waits for another probe from now on. Over HTTP, where a
// connection costs little, it does not.
func (r *Runner) keeps(ctx context.Context, l *link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.cfg.Target.URL != "" || l == nil || l.stage != stageOpen && l.stage != stageReady || len(r.spares) >= maxSpare || !l.alive() {
		return false
	}
	r.spares = append(r.spares, l)
	return true
}
