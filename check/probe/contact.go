package probe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mcptea/client/transport"
)

// A contact is an exchange that the server has presumably survived: it has answered the frame, or a later ping.
// If the connection ends afterwards, that frame or an earlier one may be the cause.
type contact struct {
	probe    *Entry // probe that sent the frame, or nil if the run or a control sent it
	name     string // name of the exchange
	sent     []byte
	mode     mode
	status   int     // HTTP status of the response; 0 over stdio
	evidence []Frame // the frame and its responses
	at       time.Time
}

// survived records that the server kept running after a frame. It does so for the run, and for the
// link on which the frame was sent, if any.
func (r *Runner) survived(l *link, c contact) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.name, c.at = cmp.Or(c.name, methodOf(c.sent), "a frame"), time.Now()
	r.contact = &c
	if l != nil {
		l.contact = &c
	}
}

// lastOn returns the newest contact of a link, or nil if it has none.
func (r *Runner) lastOn(l *link) *contact {
	r.mu.Lock()
	defer r.mu.Unlock()
	return l.contact
}

// lastContact returns the newest contact of the run, or nil if it has none.
func (r *Runner) lastContact() *contact {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contact
}

// shown describes the exchange: its name, its probe if that is not e, and the server's answer.
func (c *contact) shown(e *Entry) string {
	text := c.name
	if c.probe != nil && c.probe != e {
		text += " (" + c.probe.ID + ")"
	}
	switch {
	case c.status != 0:
		return fmt.Sprintf("%s, with HTTP status %d", text, c.status)
	case !slices.ContainsFunc(c.evidence, func(f Frame) bool { return f.Dir == transport.In }):
		return text + ", without a response"
	}
	return text
}

// before returns frames as evidence. It adds the missing frames of the contact before them.
func (c *contact) before(frames []Frame) []Frame {
	if c == nil {
		return frames
	}
	var all []Frame
	for _, f := range c.evidence {
		if !slices.ContainsFunc(frames, func(of Frame) bool { return of.Seq == f.Seq }) {
			all = append(all, f)
		}
	}
	return append(all, frames...)
}

// endsAlone reports whether the frame of a contact ends the server when it is sent alone on a new
// connection. The server must end immediately, or within twice the time that it took before.
func (r *Run) endsAlone(c *contact, ended time.Time) bool {
	if c == nil || methodOf(c.sent) == "initialize" {
		return false
	}
	again := &Conn{r: r.runner}
	if !r.reopen(again) {
		return false
	}
	if again.exchange(r.ctx, c.sent, c.mode, r.runner.cfg.Timeout).Kind == Dead {
		return true
	}
	r.Sleep(min(2*ended.Sub(c.at)+r.runner.quietTime(), exitTime))
	return !again.link().alive() || again.ping(r.ctx).Kind == Dead
}

// lookAtEnd reports that the server is dead at the end of the run, if no later request could have
// shown that to a probe. It adds the finding to the report of the last probe that has sent
// something.
func (r *Runner) lookAtEnd(ctx context.Context, last *Report) {
	if ctx.Err() != nil || r.isGone() != nil {
		return
	}
	run := &Run{Server: r.server, ctx: ctx, runner: r, report: last, reached: true}
	if r.cfg.Target.URL != "" {
		run.Linger()
		run.Linger() // the process may end a little later than the frame that ends it
		run.checkAlive(nil)
	} else {
		run.Quiet()
		for _, c := range []*Conn{r.shared, r.dirty, r.calling} {
			run.endedIdle(c)
		}
	}
	run.close()
	last.Findings = fold(last.Findings)
	if v := VerdictOf(last.Findings); v == Fail || v == Warn {
		last.Verdict = v
	}
}

// endedIdle reports that the process of a connection has ended some time after the last frame on
// that connection.
func (r *Run) endedIdle(c *Conn) {
	if c == nil {
		return
	}
	l := c.link()
	if l == nil || l.alive() || l.mute.Load() || l.judged.Swap(true) {
		return
	}
	before := r.runner.lastOn(l)
	exit := l.exit(r.ctx)
	if before == nil || exit.Ours || r.EndsOthers() || r.runner.hasSeen(ended) {
		return
	}
	e := ending{by: byItself, name: before.name, severe: before.mode != tolerated || exit.Crashed}
	o := Outcome{Kind: Dead, Sent: before.sent, link: l, exit: exit, evidence: before.evidence}
	if e.how = func(when string) string { return r.endOf(o, when) }; r.endsAlone(before, time.Now()) {
		e.by = byBefore
	}
	f, _ := e.verdict()
	r.runner.happens(ended)
	Judgment{r: r, name: before.name, frames: before.evidence, exit: exit, generic: true}.add(ended, f)
}
