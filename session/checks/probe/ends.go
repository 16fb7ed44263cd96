package probe

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
)

// unopened is the cause of what could not be sent again.
const unopened = "no connection can be opened"

// certainty is what a repetition has shown.
type certainty uint8

const (
	unknown certainty = iota // it could not be repeated
	differs
	same
)

// Keys of what a run reports once, with the probe that has reported it.
const (
	endsAnyway   = "ends anyway"
	endsByItself = "ends by itself"
	// ended is the end of any connection: the linter finds more in it, which follows from it.
	ended = "the end of a connection"
)

// endedUnprovoked is the case of an end that no frame has caused, as far as is known.
const endedUnprovoked = "the end of the server at a frame that does not end it"

// dead reports the end of the server, and repeats the frame on a new connection. It is told
// as the server's act only if mcptea has not ended the connection before. A connection without
// handshake is not opened again: its end is that of the frame before, and told once.
func (r *Run) dead(c *Conn, o Outcome, m mode, burst ...[]byte) {
	r.runner.happens(ended)
	if judged := o.link.judged.Swap(true); judged && o.unsent {
		return
	}
	if o.unsent && o.link.newest != "" {
		r.name = o.link.newest
	}
	if r.runner.cfg.Target.URL != "" {
		r.Sleep(r.runner.returnInterval()) // a process that ends may accept connections a little longer
		if r.checkAlive(o.evidence); r.ended != "" {
			return
		}
	}
	x := o.exit
	if x.Ours {
		r.drop(&Because{Cause: "mcptea closed the connection", Why: "mcptea had closed the connection before " + r.name + " was answered"})
		return
	}
	if r.EndsOthers() {
		r.drop(becauseExclusive)
		return
	}
	severity := lint.Warn
	if m != tolerated || x.Crashed {
		severity = lint.Error
	}
	message := r.endOf(o, "after "+r.name)
	var about Finding
	because := func(key, why string) {
		b := &Because{Probe: r.runner.causeOf(key), Why: why, Cause: "the server ends the connection"}
		if b.Probe == r.report.Entry.ID {
			b.Probe = ""
		}
		r.drop(b)
	}
	switch {
	case r.reproduced:
	case r.runner.causeOf(r.endsMethod(o.Sent)) != "":
		because(r.endsMethod(o.Sent), "each "+methodOf(o.Sent)+" ends the server")
		return
	case r.plainEnds(o.link.requests.Load()):
		n := r.runner.endsAfter.Load()
		if !r.runner.isCause(endsAnyway, r.report.Entry.ID) {
			because(endsAnyway, fmt.Sprintf("the server ends the connection after %d plain requests", n))
			return
		}
		severity, message = lint.Error, fmt.Sprintf("The server ends the connection after %d plain requests: initialize and pings.", n)
	case c.raw && !r.startsBeside():
		r.drop(becauseLone(""))
		return
	case c.raw:
	default:
		again := r.repeated(o, m, burst)
		switch {
		case again == same:
			r.reproduced = true
			r.noteEnds(o.Sent)
		case again == unknown:
			if r.ended == "" {
				because(ended, r.name+" could not be sent again: no connection can be opened")
			}
			return
		// The frame does not end it: one before it has, or it ends by itself. That is one finding of the run.
		case !r.runner.isCause(endsByItself, r.report.Entry.ID):
			because(endsByItself, "a frame before it has ended the server, or the server ends by itself: when "+r.name+" was sent again it did not")
			return
		default:
			about, severity = Finding{Case: endedUnprovoked, Hint: "Read what the server has written before it ended."}, lint.Warn
			message = r.endOf(o, "while "+r.name+" was the newest request") + " Sent again, alone, it does not end the server: a frame before it may have, or the server ends by itself. Further ends of this kind are not reported."
		}
	}
	if o.x != nil {
		o.x.ends = true
	}
	about.Severity, about.Message, about.Hint = severity, message, cmp.Or(about.Hint, hintOfEnd(r.report.Entry, severity))
	Judgment{r: r, name: r.name, frames: o.evidence, exit: x, of: o, generic: true}.add(ended, about)
}

// repeated sends the frame that has ended a connection again, or the burst.
func (r *Run) repeated(o Outcome, m mode, burst [][]byte) certainty {
	if len(burst) > 1 {
		return r.repeatsBurst(burst)
	}
	return r.repeats(Dead, o.Sent, m)
}

// methodOf is the method of a frame.
func methodOf(frame []byte) string {
	e := jsonrpc.Scan(frame)
	return e.MethodName(frame)
}

// endsMethod is the cause that a method ends the server, whatever its params are.
func (r *Run) endsMethod(frame []byte) string { return "ends after " + methodOf(frame) }

// noteEnds looks whether the plain form of a frame ends the server, too: then further ends
// after its method have the same cause.
func (r *Run) noteEnds(frame []byte) {
	method := methodOf(frame)
	params, known := r.plainParams(method, jsonrpc.Text(jsonrpc.Get(frame, "params"), "name"))
	if !known || method == r.runner.signOfLife() {
		return
	}
	plain := &Conn{r: r.runner}
	if !r.reopen(plain) {
		return
	}
	r.report.Sent++
	if plain.exchange(r.ctx, plain.Request(method, params), tolerated, r.runner.requestTimeout()).Kind == Dead {
		r.runner.isCause(r.endsMethod(frame), r.report.Entry.ID)
	}
}

// hintOfEnd is the advice of the probe for what its frame has ended; it is not about a server
// that ends by itself.
func hintOfEnd(e *Entry, severity lint.Severity) string {
	if severity == lint.Error {
		return "Read what the server has written before it ended: a request must not end it."
	}
	return e.Fix
}

// endOf is how the connection has ended, in a sentence; when says at which frame.
func (r *Run) endOf(o Outcome, when string) string {
	x := o.exit
	switch {
	case x.Signal != "":
		return fmt.Sprintf("The server was ended by %s %s.", x.Signal, when)
	case x.Crashed:
		return fmt.Sprintf("The server crashed %s (exit status %d).", when, x.Code)
	case o.link.pid != 0 && x.Reason != "":
		return fmt.Sprintf("The server closed stdout %s, and its process goes on.", when)
	case o.link.pid != 0 && !x.Exited:
		return "The server ended the connection " + when + ", and its process goes on."
	case o.link.pid != 0:
		return fmt.Sprintf("The server exited %s (exit status %d).", when, x.Code)
	case o.Err != nil:
		return "The server ended the connection " + when + ". " + sentence(r.runner.journal.redact(o.Err.Error()))
	}
	return "The server ended the connection " + when + "."
}

// repeatsBurst reports whether frames at once end the server again.
func (r *Run) repeatsBurst(frames [][]byte) certainty {
	again := &Conn{r: r.runner}
	if !r.reopen(again) {
		return unknown
	}
	outcomes := make([]Outcome, len(frames))
	var wg sync.WaitGroup
	for i, frame := range frames {
		wg.Go(func() { outcomes[i] = again.exchange(r.ctx, frame, expected, r.runner.cfg.Timeout) })
	}
	wg.Wait()
	if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Kind == Dead }) {
		return same
	}
	return differs
}

// maxPlain bounds the plain requests in the place of those that a connection had.
const maxPlain = 60

// plainEnds reports whether a connection ends after as many plain requests as another one
// had: then it was not the last of those that ended it.
func (r *Run) plainEnds(had int32) bool {
	if most := r.runner.endsAfter.Load(); most > 0 && had >= most {
		return true
	}
	plain := &Conn{r: r.runner}
	if !r.reopen(plain) {
		return false
	}
	l := plain.link()
	for range maxPlain {
		if !l.alive() {
			r.runner.endsAfter.Store(l.requests.Load())
			return true
		}
		if l.requests.Load() >= had+2 || r.ctx.Err() != nil {
			break
		}
		r.report.Sent++
		if k := plain.ping(r.ctx).Kind; k == Dead {
			r.runner.endsAfter.Store(l.requests.Load())
			return true
		} else if k == Mute {
			break
		}
	}
	return false
}

// muted reports a server that does not answer a sign of life behind a frame, if it answers
// one on a new connection without the frame.
func (r *Run) muted(o Outcome, m mode) {
	life := r.runner.signOfLife()
	plain := &Conn{r: r.runner}
	r.fresh = append(r.fresh, plain)
	if plain.connect(r.ctx) != nil || plain.ping(r.ctx).Kind != Result {
		r.drop(r.runner.because(life, life+" without "+r.name+" gets no response, either"))
		return
	}
	switch r.repeats(Mute, o.Sent, m) {
	case unknown:
		r.drop(&Because{Cause: unopened, Why: r.name + " could not be sent again: no connection can be opened"})
		return
	case differs:
		r.drop(&Because{Cause: differently, Why: "when " + r.name + " was sent again, " + life + " behind it was answered"})
		return
	}
	severity := lint.Warn
	if m != tolerated {
		severity = lint.Error
	}
	Judgment{r: r, name: r.name, frames: o.evidence, of: o, generic: true}.Says(severity, "", "", "The server answers nothing any more after "+r.name+": "+life+" behind it gets no response.")
}

// repeats reports whether a frame, alone on a new connection, has the same outcome again.
func (r *Run) repeats(kind Kind, frame []byte, m mode) certainty {
	again := &Conn{r: r.runner}
	if !r.reopen(again) {
		return unknown
	}
	got := again.exchange(r.ctx, frame, m, r.runner.cfg.Timeout).Kind
	if got != kind && kind == Dead {
		r.Quiet() // it may end a little later
		got = again.ping(r.ctx).Kind
	}
	switch {
	case r.ctx.Err() != nil:
		return unknown
	case got == kind:
		return same
	}
	return differs
}
