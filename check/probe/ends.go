package probe

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// unopened is the cause of findings that cannot be reproduced because no connection can be opened.
const unopened = "no connection can be opened"

// A certainty says whether a repetition had the same result.
type certainty uint8

const (
	unknown certainty = iota // could not be repeated
	differs
	same
)

// Keys of facts that a run reports only once.
const (
	endsAnyway   = "ends anyway"
	endsByItself = "ends by itself"
	// ended is the end of any connection. The linter reports follow-up findings for it.
	ended = "the end of a connection"
)

// endedUnprovoked is the case of a connection that ended although no frame is known to end it.
const endedUnprovoked = "the end of the server at a frame that does not end it"

// dead handles the end of a connection. It repeats the frame on a new connection. It blames the
// server only if mcptea did not close the connection. A connection that was opened without a
// handshake is not reopened: its end is reported once, for the frame that ended it.
func (r *Run) dead(c *Conn, o Outcome, m mode, burst ...[]byte) {
	r.runner.happens(ended)
	r.runner.noteEnd()
	if judged := o.link.judged.Swap(true); judged && o.unsent {
		return
	}
	if o.unsent && o.link.newest != "" {
		r.name = o.link.newest
	}
	if r.runner.cfg.Target.URL != "" {
		r.Sleep(r.runner.returnInterval()) // an exiting process may still accept connections for a moment
		if r.checkAlive(&o); r.ended != "" {
			return
		}
	}
	e := r.endingOf(c, o, m, burst)
	if e.by == byBefore {
		o.evidence = r.runner.lastOn(o.link).before(o.evidence)
	}
	f, why := e.verdict()
	if why != nil {
		if e.by != notRepeated || r.ended == "" {
			r.drop(why)
		}
		return
	}
	if o.x != nil {
		o.x.ends = true
	}
	f.Hint = cmp.Or(f.Hint, hintOfEnd(f.Severity))
	Judgment{r: r, name: r.name, frames: o.evidence, exit: o.exit, of: o, generic: true}.add(ended, f)
}

// endingOf returns the cause of the end of a connection. It checks known causes first. Checks that
// need new connections come last.
func (r *Run) endingOf(c *Conn, o Outcome, m mode, burst [][]byte) ending {
	e := ending{name: r.name, method: methodOf(o.Sent), severe: m != tolerated || o.exit.Crashed, how: func(when string) string { return r.endOf(o, when) }}
	key := ""
	var plain *Conn // a connection that has survived the same number of plain requests
	plainEnds := func() (ends bool) {
		ends, plain = r.plainEnds(o.link.requests.Load())
		return ends
	}
	switch {
	case o.exit.Ours:
		e.by = byMcptea
	case r.EndsOthers():
		e.by = byAnother
	case r.reproduced:
	case r.runner.causeOf(r.endsMethod(o.Sent)) != "":
		e.by, key = byMethod, r.endsMethod(o.Sent)
	case plainEnds():
		e.by, key, e.plain = byPlain, endsAnyway, r.runner.endsAfter.Load()
		e.told = !r.runner.isCause(key, r.report.Entry.ID)
	case c.raw && plain == nil && !r.startsBeside():
		e.by = notAlone
	case c.raw && len(c.target) > 0 && r.Replay(o.link.said()).Kind != Result:
		e.by = byContent
	case c.raw && o.link.wasAhead() && (len(o.link.said()) == 0 || r.Replay(o.link.said()).Kind == Result):
		e.by = byWaiting
	case c.raw:
	default:
		switch r.repeated(plain, o, m, burst) {
		case same:
			r.reproduced = true
			r.noteEnds(o.Sent)
		case unknown:
			e.by, key = notRepeated, ended
		case differs:
			if before := r.runner.lastOn(o.link); r.endsAlone(before, time.Now().Add(-o.Took)) {
				e.by, e.name, e.severe = byBefore, before.shown(r.report.Entry), before.mode != tolerated || o.exit.Crashed
				r.reproduced = true
				break
			}
			if o.link.wasAhead() {
				e.by = byWaiting
				break
			}
			e.by, key = byItself, endsByItself
			e.told = !r.runner.isCause(key, r.report.Entry.ID)
		}
	}
	if e.probe = r.runner.causeOf(key); e.probe == r.report.Entry.ID {
		e.probe = ""
	}
	return e
}

// Replay sends frames on a new connection, without negotiation or changes of the target. It returns
// the outcome of the last frame. After initialize, it sends notifications/initialized.
func (r *Run) Replay(frames [][]byte) (o Outcome) {
	c := &Conn{r: r.runner, raw: true, fresh: true}
	o.Kind = Unsent
	if !r.reopen(c) {
		return o
	}
	for _, frame := range frames {
		e := jsonrpc.Scan(frame)
		if e.Kind != jsonrpc.Request {
			_ = c.send(r.ctx, frame) // a later exchange reports a failure
			continue
		}
		r.report.Sent++
		if o = c.exchange(r.ctx, frame, expected, r.runner.firstTimeout(r.runner.responseTimeout())); o.Kind != Result {
			return o
		}
		if e.HasMethod(frame, "initialize") {
			_ = c.Notify(r.ctx, "notifications/initialized", "")
		}
	}
	return o
}

// endedBy is the known cause of the end of a connection.
type endedBy uint8

const (
	byFrame     endedBy = iota
	byMcptea            // mcptea closed it
	byAnother           // a new connection ends the previous one
	byMethod            // every request with that method
	byPlain             // a number of plain requests
	byBefore            // the previous frame, to which the server had responded
	byItself            // an earlier frame, or none: neither this frame nor the previous one ends a connection by itself
	byWaiting           // waiting: the process was started in advance and had waited for a frame
	byContent           // the content: the frames end it even when they are sent in the plain way
	notAlone            // unknown: a second connection would end the first
	notRepeated         // unknown: no connection can be opened
)

// An ending describes the end of a connection.
type ending struct {
	by     endedBy
	told   bool   // already reported in this run
	probe  string // the other probe that reported it, or ""
	name   string // name of the exchange
	method string
	plain  int32 // number of plain requests that end a connection
	severe bool  // the frame must not end the connection
	how    func(when string) string
}

// verdict returns the finding about an end, or the reason for not reporting one.
func (e *ending) verdict() (Finding, *Because) {
	because := func(why string) (Finding, *Because) {
		return Finding{}, &Because{Probe: e.probe, Why: why, Cause: "the server ends the connection"}
	}
	switch {
	case e.by == byMcptea:
		return Finding{}, &Because{Cause: "mcptea closed the connection", Why: "mcptea had closed the connection before " + e.name + " was answered"}
	case e.by == byAnother:
		return Finding{}, becauseExclusive
	case e.by == byWaiting:
		return Finding{}, &Because{Cause: "a process that receives no frame ends", Why: e.name + " does not end a process that receives it immediately; the process that it was sent to had waited"}
	case e.by == byContent:
		return Finding{}, &Because{Cause: "what was sent in the plain way has no result, either", Why: e.name + ", sent in the plain way on a connection of its own, has no result, either"}
	case e.by == notAlone:
		return Finding{}, becauseLone("")
	case e.by == notRepeated:
		return because(e.name + " could not be sent again: no connection can be opened")
	case e.by == byMethod:
		return because("each " + e.method + " ends the server")
	case e.by == byPlain && e.told:
		return because(fmt.Sprintf("the server ends the connection after %d plain requests", e.plain))
	case e.by == byPlain:
		return Finding{Severity: lint.Error, Message: fmt.Sprintf("The server ends the connection after %d plain requests: initialize and pings.", e.plain)}, nil
	case e.by == byItself && e.told: // one finding per run covers all ends of this kind
		return because("a frame before it has ended the server, or the server ends by itself: when " + e.name + " was sent again it did not")
	case e.by == byItself:
		return Finding{
			Severity: lint.Warn, Case: endedUnprovoked, Hint: "Read what the server has written before it ended.",
			Message: e.how("while "+e.name+" was the newest request") + " Sent again, alone, it does not end the server: a frame before it may have, or the server ends by itself. Further ends of this kind are not reported.",
		}, nil
	case e.by == byBefore:
		f := Finding{Severity: lint.Warn, Message: e.how("after "+e.name) + " It had answered before, or gone on. Sent again, alone, the frame ends the server again."}
		if e.severe {
			f.Severity = lint.Error
		}
		return f, nil
	case e.severe:
		return Finding{Severity: lint.Error, Message: e.how("after " + e.name)}, nil
	}
	return Finding{Severity: lint.Warn, Message: e.how("after " + e.name)}, nil
}

// repeated sends the frame or the burst again that ended a connection. It uses plain, a connection
// that has survived plain requests and carried nothing else. If plain is nil, it uses a new
// connection.
func (r *Run) repeated(plain *Conn, o Outcome, m mode, burst [][]byte) certainty {
	if plain == nil {
		if plain = (&Conn{r: r.runner}); !r.reopen(plain) {
			return unknown
		}
	}
	if len(burst) > 1 {
		return r.repeatsBurst(plain, burst)
	}
	return r.repeatsOn(plain, Dead, o.Sent, m)
}

// another returns a connection that has carried only plain requests: a connection that another
// probe has left, or a new one. ok is false if none can be opened.
func (r *Run) another() (c *Conn, ok bool) {
	if c := r.readySpare(); c != nil && c.link().answers() {
		return c, true
	}
	c = &Conn{r: r.runner}
	return c, r.reopen(c)
}

// methodOf returns the method of a frame.
func methodOf(frame []byte) string {
	e := jsonrpc.Scan(frame)
	return e.MethodName(frame)
}

// endsMethod returns the cause key for a method that ends the server with any params.
func (r *Run) endsMethod(frame []byte) string { return "ends after " + methodOf(frame) }

// noteEnds checks whether the plain form of a frame ends the server too. If so, later ends after
// that method have the same cause.
func (r *Run) noteEnds(frame []byte) {
	method := methodOf(frame)
	params, known := r.plainParams(method, jsonrpc.Text(jsonrpc.Get(frame, "params"), "name"))
	if !known || method == r.runner.signOfLife() {
		return
	}
	plain, ok := r.another()
	if !ok {
		return
	}
	r.report.Sent++
	if plain.exchange(r.ctx, plain.Request(method, params), tolerated, r.runner.requestTimeout()).Kind == Dead {
		r.runner.isCause(r.endsMethod(frame), r.report.Entry.ID)
	}
}

// hintOfEnd returns the advice for a frame that ended the connection. The advice is the same for
// all probes. An error is about a valid request, and a warning about an invalid one.
func hintOfEnd(severity lint.Severity) string {
	if severity == lint.Error {
		return "Read what the server has written before it ended: a request must not end it."
	}
	return "Continue with the next line: return an error (-32700 if the line cannot be parsed, -32600 if it is not a request) or ignore it. Read what the server has written before it ended."
}

// endOf describes how the connection ended. when names the frame.
func (r *Run) endOf(o Outcome, when string) string {
	x := o.exit
	switch {
	case x.Signal != "":
		return fmt.Sprintf("The server was ended by %s %s.", x.Signal, when)
	case x.Crashed:
		return fmt.Sprintf("The server crashed %s (exit status %d).", when, x.Code)
	case o.link.pid != 0 && x.Reason != "":
		return fmt.Sprintf("The server closed stdout %s, but its process continues.", when)
	case o.link.pid != 0 && !x.Exited:
		return "The server ended the connection " + when + ", but its process continues."
	case o.link.pid != 0:
		return fmt.Sprintf("The server exited %s (exit status %d).", when, x.Code)
	case o.Err != nil:
		return "The server ended the connection " + when + ". " + sentence(r.runner.journal.redact(o.Err.Error()))
	}
	return "The server ended the connection " + when + "."
}

// repeatsBurst tests whether a burst ends the server again.
func (r *Run) repeatsBurst(again *Conn, frames [][]byte) certainty {
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

// maxPlain bounds the plain requests that plainEnds sends.
const maxPlain = 60

// plainEnds reports whether a connection ends after had plain requests. If so, the last request of
// the other connection was not the cause. Otherwise plainEnds returns the connection, which is
// still open, or nil if none could be opened.
func (r *Run) plainEnds(had int32) (ends bool, plain *Conn) {
	if most := r.runner.endsAfter.Load(); most > 0 && had >= most {
		return true, nil
	}
	plain, ok := r.another()
	if !ok {
		return false, nil
	}
	l := plain.link()
	for range maxPlain {
		if !l.alive() {
			r.runner.endsAfter.Store(l.requests.Load())
			return true, nil
		}
		if l.requests.Load() >= had+2 || r.ctx.Err() != nil {
			break
		}
		r.report.Sent++
		if k := plain.ping(r.ctx).Kind; k == Dead {
			r.runner.endsAfter.Store(l.requests.Load())
			return true, nil
		} else if k == Mute {
			return false, nil
		}
	}
	return false, plain
}

// muted reports that the server stops responding to signs of life after a frame. It first checks
// that the server responds on a new connection without the frame.
func (r *Run) muted(o Outcome, m mode) {
	life := r.runner.signOfLife()
	plain := &Conn{r: r.runner}
	r.fresh = append(r.fresh, plain)
	pong := Outcome{Kind: Unsent}
	if plain.connect(r.ctx) == nil {
		pong = plain.ping(r.ctx)
	}
	if pong.Kind != Result {
		r.drop(r.runner.because(life, life+" without "+r.name+" gets no response, either"))
		return
	}
	again := &Conn{r: r.runner}
	switch r.repeats(again, Mute, o.Sent, m) {
	case unknown:
		r.drop(&Because{Cause: unopened, Why: r.name + " could not be sent again: no connection can be opened"})
		return
	case differs:
		r.drop(&Because{Cause: differently, Why: "when " + r.name + " was sent again, " + life + " after it was answered"})
		return
	}
	severity := lint.Warn
	if m != tolerated {
		severity = lint.Error
	}
	message := "The server no longer responds after " + r.name + ": " + life + " after it gets no response."
	if again.ping(r.ctx).Kind == Result { // the server still reads
		severity = lint.Warn
		message = "The server loses the line after " + r.name + ": " + life + " directly after it gets no response, but a later one does."
	}
	hint := "Continue with the next line, whatever the message before it was. Read what the server has written to stderr."
	if e := jsonrpc.Scan(o.Sent); e.Kind == jsonrpc.Request && e.Flaws == 0 && (e.IDType == jsonrpc.IDString || e.IDType == jsonrpc.IDInteger) {
		severity, message = lint.Error, "There is no response to "+r.name+". "+message
		hint = "Return a response to each request, whatever the type of its id is, and continue with the next line. Read what the server has written to stderr."
	}
	Judgment{r: r, name: r.name, frames: o.evidence, of: o, generic: true, hint: hint}.Against(life+" on a new connection", pong).Says(severity, "", "", message)
}

// repeats checks whether a frame that is sent alone on a new connection has the same outcome. It
// opens that connection. The caller may keep using it.
func (r *Run) repeats(again *Conn, kind Kind, frame []byte, m mode) certainty {
	if !r.reopen(again) {
		return unknown
	}
	return r.repeatsOn(again, kind, frame, m)
}

// repeatsOn is like repeats, but uses an open connection.
func (r *Run) repeatsOn(again *Conn, kind Kind, frame []byte, m mode) certainty {
	got := again.exchange(r.ctx, frame, m, r.runner.cfg.Timeout).Kind
	if got != kind && kind == Dead {
		r.Quiet() // the server may end some time after the frame
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
