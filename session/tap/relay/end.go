package relay

import (
	"context"
	"fmt"
	"os"
	"time"

	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/session/tap/pipeline"
)

// How a relay ends. Waits longer than noticeAfter are reported.
//
//	the host closes stdin → what it has written is forwarded → its requests get responses, within lastWait
//	→ stdin of the server is closed, which has lastWait to exit → SIGTERM, SIGKILL
//	a signal that ends the tap is sent to the server, which has signalGrace to exit → SIGKILL
//
// If a host reads none of the waiting bytes for this time, the relay gives it up.
const (
	// lastWait bounds each wait for the server after the host has closed stdin: for the responses, and
	// then for its exit.
	lastWait = 10 * time.Second
	// signalGrace is the time that a server gets to exit after a signal that ends the tap.
	signalGrace = 2 * time.Second
	// noticeAfter is the duration after which a wait at the end is reported.
	noticeAfter = time.Second
)

// graceOf returns how long a host may take nothing at the end.
func graceOf(sig os.Signal) time.Duration {
	if sig != nil {
		return signalGrace
	}
	return lastWait
}

// notice prints a text unless it is stopped in time.
func (r *Relay) notice(text string) (stop func()) {
	t := time.AfterFunc(noticeAfter, func() { r.tell(text) })
	return func() { t.Stop() }
}

// await returns when everything of the host has gone on, or with the signal that ends the tap.
func (r *Relay) await(passed <-chan struct{}) os.Signal {
	ended, reads := r.spool.ended, 0
	ticker := time.NewTicker(lastWait)
	defer ticker.Stop()
	for {
		select {
		case <-passed:
			return r.settleLast()
		case sig := <-r.Signals:
			if endsProgram(sig) {
				return sig
			}
			r.signal(sig)
		case <-ended:
			ended, reads = nil, r.spool.progress()
			ticker.Reset(lastWait)
		case <-ticker.C:
			now := r.spool.progress()
			if ended == nil && now == reads && r.isReady() {
				r.tell(fmt.Sprintf("the host has closed stdin, and the server has not read its input for %s: mcptea ends it", phrase.Duration(lastWait)))
				return nil
			}
			reads = now
		case <-r.ctx.Done():
			return nil
		}
	}
}

func (r *Relay) isReady() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase == ready && r.waits.n.Load() == 0
}

// settleLast waits for the responses to the last requests, and for a server that starts; or for the signal
// that ends the tap.
func (r *Relay) settleLast() os.Signal {
	timer := time.NewTimer(lastWait)
	defer timer.Stop()
	defer r.notice(fmt.Sprintf("the host has closed stdin and waits for %s: mcptea waits for at most %s", r.lastAwaited(), phrase.Duration(lastWait)))()
	for {
		r.mu.Lock()
		waits, changed := r.phase == starting || r.answering > 0 || r.known.calls.running() > 0 && r.phase != down, r.awaited()
		r.mu.Unlock()
		if !waits {
			return nil
		}
		select {
		case <-changed:
		case sig := <-r.Signals:
			if endsProgram(sig) {
				return sig
			}
			r.signal(sig)
		case <-timer.C:
			return nil
		}
	}
}

// lastAwaited names what settleLast waits for.
func (r *Relay) lastAwaited() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch n := r.known.calls.running(); {
	case n > 0:
		return phrase.Count(n, "response")
	case r.phase == starting:
		return "a server that starts"
	}
	return "the last responses"
}

// signal passes a signal to the server.
func (r *Relay) signal(sig os.Signal) {
	r.mu.Lock()
	s := r.server
	r.mu.Unlock()
	if s == nil {
		return
	}
	if t, ok := s.t.(*stdio.Transport); ok {
		name := t.Signal(sig)
		s.Process(transport.ProcessEvent{Time: time.Now(), What: transport.ProcessSignalled, PID: t.PID(), Signal: name})
	}
}

// end ends the last server, and returns how the tap ends.
func (r *Relay) end(sig os.Signal) *stdio.ExitError {
	r.mu.Lock()
	s := r.server
	if s != nil {
		s.leaving = true
	}
	r.mu.Unlock()
	if s != nil {
		r.endServer(s, sig)
	}
	if sig == nil {
		r.failRest()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	exit := &stdio.ExitError{}
	switch name := signalNames[sig]; {
	case name != "":
		exit.Signal = name
	case r.servers > 0 && r.known.result == nil && !r.known.stateless && r.phase == down:
		exit.Code = 1 // the host was never connected to a server
	case r.exit != nil && r.exit.Signal == "":
		exit = r.exit
	}
	return exit
}

// finish ends the recording.
func (r *Relay) finish(recorded <-chan struct{}) {
	now := time.Now()
	r.queue.Call(func() { r.recorder.End(r.queue, now, "") })
	r.queue.Close()
	pipeline.Await(r.queue, recorded, r.Warn)
}

// endServer ends the server, after the host or with a signal.
func (r *Relay) endServer(s *server, sig os.Signal) {
	ctx := context.Background()
	t, ok := s.t.(*stdio.Transport)
	switch {
	case sig != nil:
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, signalGrace)
		defer stop()
		r.signal(sig)
	case ok:
		t.Watch(lastWait, false)
		defer r.notice("the host has closed stdin, and mcptea has closed stdin of the server, which has " + phrase.Duration(lastWait) + " to end before it is terminated")()
	}
	_ = s.t.Close(ctx)
	r.closed(s, "")
}

// failRest responds to the requests that the last server has not responded to.
func (r *Relay) failRest() {
	r.mu.Lock()
	left := r.known.calls.inOrder()
	for _, c := range left {
		r.known.calls.forget(c)
		r.known.settle(c.id.Key())
	}
	r.mu.Unlock()
	text := "the server has not responded before its end, " + phrase.Duration(lastWait) + " after the host had closed stdin; the request may have been carried out"
	for _, c := range left {
		if !c.lasts() {
			r.answer(c.id, failureText{text: text, reason: "ended", detail: text})
		}
	}
}
