package relay

import (
	"context"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
)

// leastHeld is from when on the recording says that a frame has waited.
const leastHeld = 20 * time.Millisecond

// awaitServer waits until a server is ready for a frame, and returns true with the lock; or false, and what
// the frame is answered with.
func (r *Relay) awaitServer(ctx context.Context, f *transport.Frame) (failure failureText, ok bool) {
	var until <-chan time.Time
	tried := false
	ended := r.spool.ended
	for {
		r.mu.Lock()
		isDown := r.phase == down
		switch first := isDown && r.isFirst(f); {
		case isDown && r.OnDemand && !tried && f.Envelope.Kind != jsonrpc.Notification:
			tried = true
			r.mu.Unlock()
			_ = r.RestartAfter(ctx, session.Cause{Text: "the next request"}) // else it is refused
			continue
		case isDown && (r.OnDemand || !first || until != nil && r.spool.hasEnded()):
			failure = r.downFailure(r.why)
			r.mu.Unlock()
			return failure, false
		case first && until == nil:
			until = time.After(handshakeWait)
		case r.servers == 0 && until == nil:
			until = time.After(buildWait)
		}
		// A frame waits for a server, and before one is replaced that it has nothing to do with.
		if r.phase == ready && !(r.draining && r.known.calls.running() == 0) {
			return failure, true
		}
		changed := r.awaited()
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ended:
			ended = nil
		case <-until:
			if failure := r.notInTime(); failure.text != "" {
				return failure, false
			}
			until = nil
		case <-ctx.Done():
			return failure, false
		}
	}
}

// notInTime is what a first request is answered with that has waited for a server; nothing if one starts.
func (r *Relay) notInTime() (failure failureText) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.phase == down:
		return r.downFailure(r.why)
	case r.servers == 0 && r.Building != nil:
		if command := r.Building(); command != "" {
			why := "its build has not ended within " + phrase.Duration(buildWait) + ": " + r.redact(phrase.Clip(command, maxWhy))
			return failureText{text: "the server does not run yet: " + why + "; connect again when the build has ended", reason: "building", detail: why}
		}
	}
	return failure
}

const (
	// saveWait is how long a request waits for the server that was saved before it came: a build may take
	// longer, and may fail.
	saveWait = 10 * time.Second
	// saveInterval is how often it is looked whether that has begun.
	saveInterval = 10 * time.Millisecond
	// startQuiet is how long after its start a server is taken for the one that changes files.
	startQuiet = 50 * time.Millisecond
	// A host that has waited for nothing for idleHost may have saved a file just now, which is known within
	// noticed: mostly at once, and late only where the processors have other work.
	idleHost = 50 * time.Millisecond
	noticed  = time.Second
)

// awaitSaved has a request wait while a file has changed for which no server was started yet: who saves
// and calls means the server as it was saved. What changes while the host waits for a response, or at the
// start of a server, the server has changed itself.
func (r *Relay) awaitSaved(ctx context.Context, f *transport.Frame) {
	if r.Saved == nil || f.Envelope.Kind != jsonrpc.Request {
		return
	}
	r.mu.Lock()
	idle := r.known.calls.running() == 0 && time.Since(r.busy) >= idleHost
	r.mu.Unlock()
	if idle {
		r.Sync(noticed)
	}
	late := time.Now().Add(saveWait)
	for ctx.Err() == nil && time.Now().Before(late) {
		r.mu.Lock()
		since, waits := r.busy, r.phase == ready && !r.draining && r.known.calls.running() == 0
		if r.server != nil && r.server.since.Add(startQuiet).After(since) {
			since = r.server.since.Add(startQuiet)
		}
		r.mu.Unlock()
		if !waits || !r.Saved(since) {
			return
		}
		select {
		case <-time.After(saveInterval):
		case <-ctx.Done():
		}
	}
}

// isFirst reports a request with which a host finds out what it is connected to. The caller holds the
// lock.
func (r *Relay) isFirst(f *transport.Frame) bool {
	e := &f.Envelope
	return e.Kind == jsonrpc.Request && r.known.result == nil && (e.HasMethod(f.Bytes, "initialize") || e.HasMethod(f.Bytes, "server/discover"))
}
