package relay

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/session"
)

// ownPrefix begins the ids of the relay's requests: no host has it.
var ownPrefix = fmt.Sprintf("mcptea-tap-%d-", os.Getpid())

// RestartAfter implements the Session of package watch: it replaces the server.
func (r *Relay) RestartAfter(ctx context.Context, cause session.Cause) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(r.starts, stop)()
	select {
	case r.restarting <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.restarting }()
	return r.replace(ctx, cause)
}

// replace is RestartAfter for a caller that has the turn of restarting.
func (r *Relay) replace(ctx context.Context, cause session.Cause) error {
	began := time.Now()
	r.mu.Lock()
	s, again := r.server, r.servers > 0
	r.mu.Unlock()
	why := cmp.Or(cause.Text, "restart")
	if s != nil {
		r.cut(s, starting, why, failureText{text: "mcptea restarted the server (" + why + ") before it responded; the request may have been carried out", reason: "restarted", detail: why})
		_ = s.t.Close(context.WithoutCancel(ctx)) // the grace period of the server is bounded
		r.closed(s, why)
		r.lateFrames(s)
	} else {
		r.mu.Lock()
		r.setPhase(starting, "")
		r.mu.Unlock()
	}
	if err := ctx.Err(); err != nil {
		return err // a newer change restarts the server
	}
	if !again {
		cause = session.Cause{Generation: cause.Generation}
	}
	s, err := r.start(ctx, cause, again)
	if err != nil {
		return err
	}
	if again {
		r.restarted(s, cause, time.Since(began))
	}
	return nil
}

// restarted reports that a server has replaced another one, as the inspector does.
func (r *Relay) restarted(s *server, cause session.Cause, took time.Duration) {
	r.mu.Lock()
	number := s.restart
	r.mu.Unlock()
	r.tell(session.RestartNote(number, cause, took))
}

// cut separates the host from a server. Requests of the host get an error, unless they are carried over to the
// next server. It returns false if the server was cut before.
func (r *Relay) cut(s *server, then phase, why string, text failureText) bool {
	r.mu.Lock()
	if s.cut || r.server != s {
		r.mu.Unlock()
		return false
	}
	s.cut, r.server = true, nil
	close(s.gone)
	r.setPhase(then, why)
	k := &r.known
	var failed []jsonrpc.ID
	clear(k.settled)
	for _, c := range k.calls.inOrder() {
		if c.isCarried() {
			continue
		}
		k.calls.forget(c)
		k.settle(c.id.Key())
		failed = append(failed, c.id)
	}
	asked := k.dropPending()
	r.in.Shared.Settle(text.text)
	defer r.answers()()
	r.mu.Unlock()
	for _, id := range failed {
		r.answer(id, text)
	}
	for _, id := range asked {
		params := fmt.Sprintf(`{"requestId":%s,"reason":%s}`, id, jsonrpc.Quote("the server was restarted"))
		r.inject(jsonrpc.EncodeNotification("notifications/cancelled", []byte(params)), "the server that sent the request has ended")
	}
	return true
}

// ended reports that a server, which was cut, has ended by itself. Another restart may have begun since.
func (r *Relay) ended(s *server, why string) {
	r.mu.Lock()
	if r.servers == s.number && r.phase == down {
		r.failLocked(nil, why)
		return
	}
	r.mu.Unlock()
	r.tell(r.downText(why))
}

// fail reports that there is no server. If one may be started in the meantime, the caller holds the right to
// restart.
func (r *Relay) fail(s *server, why string) {
	r.mu.Lock()
	r.failLocked(s, why)
}

// failLocked is fail for a caller that holds the lock, which is released.
func (r *Relay) failLocked(s *server, why string) {
	if s != nil {
		s.leave(r)
		r.outcome.Stands(s.generation)
	}
	var failed []jsonrpc.ID
	for _, c := range r.known.calls.inOrder() {
		if r.known.result == nil && !c.lasts() && c.isCarried() && !r.spool.hasEnded() && !r.OnDemand {
			time.AfterFunc(handshakeWait, func() { r.giveUp(c) }) // the next save may mend the server
			continue
		}
		r.known.calls.forget(c)
		r.known.settle(c.id.Key())
		failed = append(failed, c.id)
	}
	r.setPhase(down, why)
	defer r.answers()()
	r.mu.Unlock()
	text := r.downText(why)
	for _, id := range failed {
		r.answer(id, r.downFailure(why))
	}
	r.tell(text)
}

// leave stops forwarding frames of the server to the host. The caller holds the lock of the relay.
func (s *server) leave(r *Relay) {
	if !s.cut {
		s.cut = true
		close(s.gone)
	}
	if r.server == s {
		r.server = nil
	}
}

// giveUp responds to the first request of a host, which has waited long enough for a server.
func (r *Relay) giveUp(c *call) {
	r.mu.Lock()
	why := r.why
	over := r.phase != down || !r.known.calls.is(c)
	if !over {
		r.known.calls.forget(c)
		r.known.settle(c.id.Key())
		defer r.answers()()
		r.wake()
	}
	r.mu.Unlock()
	if !over {
		r.answer(c.id, r.downFailure(why))
	}
}

// downText describes that there is no server, and when the next one is started.
func (r *Relay) downText(why string) string {
	text := "the server does not run: " + strings.TrimSuffix(why, ".")
	if r.Until != "" {
		text += "; mcptea starts it again " + r.Until
	}
	return text
}

// follow waits for the end of a server that the relay has not ended.
func (r *Relay) follow(s *server) {
	select {
	case <-s.t.Done():
	case <-s.gone:
		return
	}
	err := s.t.Err()
	r.mu.Lock()
	over := s.leaving || s.cut || err == nil
	r.mu.Unlock()
	if over {
		return
	}
	why := s.why(err)
	again := r.startsAgain(s)
	text := failureText{text: "the server ended before it responded: " + why + "; the request may have been carried out", reason: "ended", detail: why}
	then := down
	if again {
		then = starting
	}
	if !r.cut(s, then, why, text) {
		return
	}
	_ = s.t.Close(context.Background())
	r.closed(s, err.Error())
	if !again {
		r.ended(s, why)
		return
	}
	r.again.run(r, s, why)
}
