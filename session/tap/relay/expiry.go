package relay

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/session"
)

// retiredTimeout is the time in which the streams of an expired session are still read.
const retiredTimeout = time.Minute

// errExpired is the error of a request whose session has expired, and that got no response in time.
var errExpired = errors.New("the session has expired before it responded; the request may have been carried out")

// maxRenewals bounds the number of sessions in which a frame is sent without any response. A server
// whose sessions end immediately has another fault.
const maxRenewals = 10

// sendInNextSession sends a frame again, in the next session, that was refused because the session had expired:
// the server has not executed it.
func (s *server) sendInNextSession(o transport.Outgoing, e *jsonrpc.Envelope, err error) (transport.Outgoing, error) {
	r := s.r
	for first, fruitless := s, 0; fruitless < maxRenewals && r.isExpired(err); {
		if !s.served.Load() {
			fruitless++
		}
		if s != first && !errors.Is(err, mcphttp.ErrSessionExpired) { // a new session rejects the message, too
			r.mu.Lock()
			r.refuses = true
			r.mu.Unlock()
			break
		}
		if s = r.renew(s); s == nil {
			return o, errors.New(r.whyDown())
		}
		o = s.carried(o.Bytes, transport.Own, func() {})
		r.mu.Lock()
		requestsIn(o.Bytes, e, func(id jsonrpc.ID) {
			if c := r.known.calls.withID(id); c != nil {
				c.server = s.number
			}
		})
		r.mu.Unlock()
		err = s.t.Send(r.ctx, o)
	}
	return o, err
}

// isExpired reports whether an outcome means that the session has ended: status 404, or 400 with an
// error about the session, which servers on the official SDKs return for a session of an earlier
// process.
func (r *Relay) isExpired(err error) bool {
	if errors.Is(err, mcphttp.ErrSessionExpired) {
		return true
	}
	status, ok := errors.AsType[*transport.StatusError](err)
	if !ok || status.Status != http.StatusBadRequest {
		return false
	}
	e := jsonrpc.Scan(status.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deniesSession(status.Body, &e)
}

// deniesSession reports whether an error of a response with status 400 denies the session, unless the
// server denies every session. The caller holds the lock.
func (r *Relay) deniesSession(frame []byte, e *jsonrpc.Envelope) bool {
	if e.Kind != jsonrpc.ErrorResponse || r.known.result == nil || r.known.stateless || r.refuses {
		return false
	}
	return strings.Contains(strings.ToLower(jsonrpc.Text(e.Error.Of(frame), "message")), "session")
}

// whyDown returns the reason why there is no server.
func (r *Relay) whyDown() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.downText(r.why)
}

// renew starts a new session after one has expired, with the host's own initialize. It returns nil if that
// fails: then the host gets errors.
func (r *Relay) renew(old *server) *server {
	select {
	case r.restarting <- struct{}{}:
	case <-r.starts.Done():
		return nil
	}
	defer func() { <-r.restarting }()
	r.mu.Lock()
	if r.server != old {
		defer r.mu.Unlock()
		return r.server // another request has renewed it
	}
	asked := r.known.dropPending()
	r.setPhase(starting, "")
	r.mu.Unlock()
	for _, id := range asked {
		params := `{"requestId":` + id.String() + `,"reason":"the session has expired"}`
		r.inject(jsonrpc.EncodeNotification("notifications/cancelled", []byte(params)), "the session that has asked has expired")
	}
	r.tell("the session has expired: mcptea starts a new one, with the host's own initialize")
	r.closed(old, "the session has expired")
	began := time.Now()
	cause := session.Cause{Text: "the session had expired"}
	next, err := r.start(r.starts, cause, true)
	go r.retire(old)
	if err != nil {
		return nil
	}
	r.restarted(next, cause, time.Since(began))
	return next
}

// retire closes a connection when the host no longer waits for its responses.
func (r *Relay) retire(old *server) {
	timer := time.NewTimer(retiredTimeout)
	defer timer.Stop()
	for over := false; ; {
		r.mu.Lock()
		var waits []jsonrpc.ID
		for _, c := range r.known.calls.byID {
			if c.server == old.number && !c.lasts() {
				waits = append(waits, c.id)
			}
		}
		changed := r.awaited()
		r.mu.Unlock()
		if over = over || len(waits) == 0; over {
			r.mu.Lock()
			old.cut = true
			r.mu.Unlock()
			ctx, stop := context.WithCancel(context.Background())
			stop() // there is no session to delete
			_ = old.t.Close(ctx)
			for _, id := range waits {
				r.failed(id, errExpired)
			}
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			over = true
		case <-r.ctx.Done():
			over = true
		}
	}
}
