package relay

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
	"mcptea/session/tap/pipeline"
)

// Frames of the host that wait, and their conditions.
//
// The sources have a generation, a number that each change increases. The newest outcome has one, too: a
// server, a failed start or a failed build. A request is stamped with the generation of the sources at the time
// when it is read. An outcome of that generation or a later one decides about it: it is sent to the server, or
// gets the failure. Until then it waits, for [session.SaveWait] at most, and later frames wait in order.
// Exceptions are frames that the present server needs to end its work: responses, progress and cancellations.

const (
	// leastHeld is the minimum wait of a frame that the recording mentions.
	leastHeld = 20 * time.Millisecond
)

// waits holds the waiting frames of the host, in order.
type waits struct {
	turn   sync.Mutex // held while frames of the host are forwarded or made to wait
	frames []*waiting // under turn
	bytes  int        // size of the frames; guarded by turn
	fewer  sync.Cond  // signals that there are fewer bytes, or none; uses turn
	n      atomic.Int32
	news   chan struct{} // 1 slot: a frame waits
}

// waiting is a received frame of the host or of a command, which may wait.
type waiting struct {
	f          transport.Frame
	line       []byte
	generation uint64
	command    bool // sent by a command that uses the connection
	requests   bool // the line contains a request
	came       time.Time
	until      time.Time
	tried      bool // starting the server on demand was tried
	reported   bool // the wait until then was reported
}

func (w *waits) init() {
	w.fewer.L = &w.turn
	w.news = make(chan struct{}, 1)
}

// stamp returns the generation of the requests in frames that have arrived, or 0.
func (r *Relay) stamp(requests bool) uint64 {
	if r.Generation == nil || !requests {
		return 0
	}
	return r.Generation(session.Noticed)
}

func hasRequest(f *transport.Frame) bool {
	return f.Envelope.Kind == jsonrpc.Request || f.Envelope.Kind == jsonrpc.Batch
}

// arrived forwards a frame or queues it. The bytes belong to the caller. The caller holds ws.turn.
func (r *Relay) arrived(ctx context.Context, w *waiting) {
	ws, line := &r.waits, w.line
	for len(ws.frames) > 0 && ws.bytes+len(line) > maxSpool && ctx.Err() == nil {
		ws.fewer.Wait()
	}
	if len(ws.frames) > 0 && r.overtakes(ctx, w) {
		return
	}
	w.requests, w.came = hasRequest(&w.f), time.Now()
	ws.frames = append(ws.frames, w)
	ws.bytes += len(line)
	ws.n.Add(1)
	if r.release(ctx); len(ws.frames) == 0 || ws.frames[len(ws.frames)-1] != w {
		return
	}
	if w.generation > 0 {
		r.Want(w.generation) // even if an earlier frame waits for something else
	}
	w.line = bytes.Clone(line) // the reader owns the line
	w.f.Bytes = w.line[:len(w.f.Bytes)]
	wakeOne(ws.news) // it may be the first frame with a deadline
}

func wakeOne(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// overtakes forwards a frame that does not wait behind others, and reports whether it did: the current server,
// or a waiting request, ends with it. The caller has the turn.
func (r *Relay) overtakes(ctx context.Context, w *waiting) bool {
	f, e := &w.f, &w.f.Envelope
	r.mu.Lock()
	ready := r.phase == ready
	switch {
	case e.Kind.IsResponse(), e.HasMethod(f.Bytes, "notifications/progress"):
	case e.HasMethod(f.Bytes, "notifications/cancelled"):
		id := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(f.Bytes), "requestId")).ID()
		if r.known.calls.withID(id) != nil {
			break
		}
		for i, other := range r.waits.frames {
			if other.f.Envelope.Kind == jsonrpc.Request && other.command == w.command && other.f.Envelope.ID.Of(other.f.Bytes).ID().Key() == id.Key() {
				r.mu.Unlock()
				r.remove(i)
				const why = "the request was cancelled before it was forwarded"
				r.out.Drop(other.f, other.line, why, pipeline.Origin{})
				r.out.Drop(*f, w.line, why, pipeline.Origin{})
				return true
			}
		}
		ready = ready && w.command // a request that a command has cancelled is no longer known
	default:
		ready = false
	}
	if !ready {
		r.mu.Unlock()
		return false
	}
	next := r.onward(w)
	r.mu.Unlock()
	r.sendOn(ctx, w, next)
	return true
}

// onward records a frame that is forwarded to the server, and returns the forwarded line. The caller holds r.mu.
func (r *Relay) onward(w *waiting) onward {
	next := onward{to: r.server, held: time.Since(w.f.Time)}
	switch {
	case !w.command:
		next.sent, next.why = r.outgoing(&w.f)
	case w.f.Envelope.Kind == jsonrpc.Request:
		r.in.Shared.Sent(w.f.Envelope.ID.Of(w.f.Bytes).ID(), func() {
			r.commandsEnded.Add(1)
			r.known.calls.settled.Notify()
		})
	}
	return next
}

// remove removes a frame that waits. The caller has the turn.
func (r *Relay) remove(i int) {
	ws := &r.waits
	ws.bytes -= len(ws.frames[i].line)
	ws.frames = append(ws.frames[:i], ws.frames[i+1:]...)
	ws.n.Add(-1)
	ws.fewer.Broadcast()
	if len(ws.frames) == 0 {
		ws.frames = nil
		r.mu.Lock()
		r.wake()
		r.mu.Unlock()
	}
}

// release forwards the frames that wait for nothing, refuses those whose time is over, and returns until when the next
// of the others waits; the zero time for no end. The caller has the turn.
func (r *Relay) release(ctx context.Context) (until time.Time) {
	for len(r.waits.frames) > 0 && ctx.Err() == nil {
		w := r.waits.frames[0]
		r.mu.Lock()
		what, failure := r.decide(w)
		full := what == forwards && !w.command && w.f.Envelope.Kind == jsonrpc.Request && r.known.calls.isFull()
		var next onward
		if what == forwards && !full {
			next = r.onward(w)
		}
		r.mu.Unlock()
		switch {
		case what == tries:
			w.tried = true
			_ = r.RestartAfter(ctx, session.Cause{Text: "the next request"}) // if this fails, the request is refused
			continue
		case ctx.Err() != nil:
			return until
		case what == keepsWaiting:
			r.mu.Lock()
			i, failure, until := r.overdue()
			r.mu.Unlock()
			if i < 0 {
				return until
			}
			late := r.waits.frames[i]
			r.remove(i)
			r.refuse(late, failure)
			continue
		}
		r.remove(0)
		switch {
		case what == fails:
			r.refuse(w, failure)
		case full:
			why := phrase.Count(maxPending, "request") + " of the host have no response yet"
			r.out.Drop(w.f, w.line, why, pipeline.Origin{})
			r.answer(w.f.Envelope.ID.Of(w.f.Bytes).ID(), failureText{text: why, reason: "pending", detail: why})
		default:
			r.sendOn(ctx, w, next)
		}
	}
	return until
}

// A decision is the decision about a waiting frame.
type decision uint8

const (
	keepsWaiting decision = iota
	forwards              // the frame goes to the server
	fails                 // the relay responds with a failure
	tries                 // the relay starts a server, and decides again
)

// decide returns the decision about a frame. The caller holds the lock.
func (r *Relay) decide(w *waiting) (decision, failureText) {
	decided := r.outcome.Decides(w.generation)
	first, isDown := r.isFirst(&w.f), r.phase == down
	switch {
	case r.phase == ready && (!w.requests || decided && r.outcome.Broken() == ""):
		return forwards, failureText{}
	case decided && r.outcome.Broken() != "" && (r.phase == ready || isDown && (!first || r.OnDemand)):
		return fails, r.brokenFailure()
	case isDown && decided && r.OnDemand && !w.tried && w.f.Envelope.Kind != jsonrpc.Notification:
		return tries, failureText{}
	case isDown && decided && (r.OnDemand || !first || !w.until.IsZero() && r.spool.hasEnded()):
		return fails, r.downFailure(r.why)
	}
	return keepsWaiting, failureText{}
}

// overdue returns the index of the first frame whose deadline has passed, and its failure. If no deadline
// has passed, it returns -1 and the next deadline, which is zero if no frame has one. A frame without a
// deadline, such as a response, does not affect the deadline of a request after it. The caller holds the
// lock and the turn.
func (r *Relay) overdue() (i int, failure failureText, until time.Time) {
	for i, w := range r.waits.frames {
		first := r.isFirst(&w.f)
		if w.until.IsZero() {
			w.until = r.deadline(w, first)
		}
		switch {
		case w.until.IsZero() || w.reported:
			continue
		case time.Now().Before(w.until):
			if until.IsZero() || w.until.Before(until) {
				until = w.until
			}
			if !first { // later messages have later deadlines
				return -1, failure, until
			}
			continue
		}
		if failure = r.notInTime(w, first); failure.text != "" {
			return i, failure, until
		}
		w.reported = true
	}
	return -1, failure, until
}

// deadline returns the deadline of a waiting frame, or zero if it has none. The caller holds the lock.
func (r *Relay) deadline(w *waiting, first bool) time.Time {
	switch {
	case first && r.phase == down:
		return time.Now().Add(handshakeWait)
	case r.servers == 0:
		return w.came.Add(buildWait)
	case r.Generation != nil && w.requests && !first:
		return w.came.Add(session.SaveWait)
	}
	return time.Time{}
}

// notInTime returns the error for a request that has waited for a server too long, or none if it is the first
// request and continues to wait. The caller holds the lock.
func (r *Relay) notInTime(w *waiting, first bool) (failure failureText) {
	switch {
	case r.phase == down && r.outcome.Decides(w.generation):
		return r.downFailure(r.why)
	case r.servers == 0 && r.Building != nil:
		if command := r.Building(); command != "" {
			why := "its build has not ended within " + phrase.Duration(buildWait) + ": " + r.redact(phrase.Clip(command, maxWhy))
			return failureText{text: "the server does not run yet: " + why + "; connect again when the build has ended", reason: "building", detail: why}
		}
	}
	if first {
		return failure
	}
	doing := ""
	if r.Doing != nil {
		doing = cmp.Or(r.Doing(), "it starts")
	}
	why := session.NotReady(doing)
	return failureText{text: why + ": the request did not reach a server; send it again", reason: "saved", detail: why}
}

// brokenFailure returns the error for a request if the server could not be built. The caller holds the lock.
func (r *Relay) brokenFailure() failureText {
	text := r.outcome.Broken()
	if r.Until != "" {
		text += "; mcptea builds again " + r.Until
	}
	return failureText{text: text + ". The request did not reach a server.", reason: "build", detail: r.outcome.Broken()}
}

// passWaiting forwards what waits, when that may be over.
func (r *Relay) passWaiting(ctx context.Context) {
	ws := &r.waits
	defer context.AfterFunc(ctx, func() {
		ws.turn.Lock()
		defer ws.turn.Unlock()
		ws.fewer.Broadcast()
	})()
	ended := r.spool.ended
	for {
		if ws.n.Load() == 0 {
			select {
			case <-ws.news:
			case <-ctx.Done():
				return
			}
		}
		r.mu.Lock()
		changed := r.awaited()
		r.mu.Unlock()
		ws.turn.Lock()
		until := r.release(ctx)
		ws.turn.Unlock()
		if ws.n.Load() == 0 {
			continue
		}
		var late <-chan time.Time
		if left := time.Until(until); left > 0 {
			late = time.After(left)
		}
		select {
		case <-changed:
		case <-ws.news:
		case <-late:
		case <-ended:
			ended = nil
		case <-ctx.Done():
			return
		}
	}
}

// awaitPassed waits until no bytes of the host wait to be forwarded.
func (r *Relay) awaitPassed(ctx context.Context) {
	r.waits.turn.Lock()
	defer r.waits.turn.Unlock()
	ofHost := func(w *waiting) bool { return !w.command }
	for slices.ContainsFunc(r.waits.frames, ofHost) && ctx.Err() == nil {
		r.waits.fewer.Wait()
	}
}

// isFirst reports whether a host may use this request to find out what it is connected to. The
// caller holds the lock.
func (r *Relay) isFirst(f *transport.Frame) bool {
	e := &f.Envelope
	return e.Kind == jsonrpc.Request && r.known.result == nil && (e.HasMethod(f.Bytes, "initialize") || e.HasMethod(f.Bytes, "server/discover"))
}
