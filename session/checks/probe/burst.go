package probe

import (
	"bytes"
	"fmt"
	"sync"

	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
)

// Burst is requests that were sent at once, and what each has led to.
type Burst struct {
	Name     string
	Outcomes []Outcome
	frames   [][]byte
	// plain sends them in the plain way; nil to send each alone.
	plain func() Burst
	// again sends them once more; nil to send the frames on a new connection.
	again func() Burst
}

// Burst sends frames on a connection at once and waits for all responses. The order
// of the outcomes is that of the frames.
func (r *Run) Burst(c *Conn, name string, frames [][]byte) Burst {
	conns := make([]*Conn, len(frames))
	for i := range conns {
		conns[i] = c
	}
	return r.BurstOver(name, conns, frames)
}

// BurstOver is Burst with a connection for each frame.
func (r *Run) BurstOver(name string, conns []*Conn, frames [][]byte) Burst {
	b := Burst{Name: name, Outcomes: make([]Outcome, len(frames)), frames: frames}
	var wg sync.WaitGroup
	for i, frame := range frames {
		b.Outcomes[i].Kind = Unsent
		if !r.begin(name, frame, conns[i]) {
			break
		}
		l := conns[i].link()
		wg.Go(func() {
			b.Outcomes[i] = conns[i].through(r.ctx, l, frame, expected, r.runner.burstTimeout(len(frames)))
		})
	}
	wg.Wait()
	if r.isStopped() || r.ended != "" {
		for i := range b.Outcomes {
			b.Outcomes[i] = Outcome{Kind: Unsent}
		}
		return b
	}
	for i := range b.Outcomes {
		o := &b.Outcomes[i]
		if r.runner.limits.note(o.Status, o.Header); mcphttp.IsLimit(o.Status, o.Header) { // as many at once are more than it takes
			r.limited()
			break
		}
		o.x = &exchange{name: name, conn: conns[i]}
		if o.Kind == Dead {
			r.dead(conns[i], *o, expected, frames...)
			r.because = r.unproven
			r.end(Failure, "the server ended during "+name) // how many got no response says nothing more
			break
		}
	}
	return b
}

// OfBurst is the judgment of the outcomes of a burst that bad selects. Its findings are
// reported if none of the requests alone leads to such an outcome, and the burst does
// again.
func (r *Run) OfBurst(b Burst, bad func(i int, o Outcome) bool) Judgment {
	j := Judgment{r: r, name: b.Name, burst: &b, bad: bad}
	for i, o := range b.Outcomes {
		if bad(i, o) {
			j.of = o
			break
		}
	}
	return j
}

// Count is how many outcomes of a burst hold.
func (b Burst) Count(holds func(i int, o Outcome) bool) (n int) {
	for i, o := range b.Outcomes {
		if holds(i, o) {
			n++
		}
	}
	return n
}

// examineBurst sends the requests of the burst alone, on a connection of their own, and then
// the burst again.
func (j Judgment) examineBurst(f *Finding) *Because {
	r, b := j.r, j.burst
	if b.plain != nil {
		plain := b.plain()
		if n := plain.Count(j.bad); n > 0 || r.ended != "" {
			return &Because{Cause: "the same happens to plain requests", Why: fmt.Sprintf("%d of %d do so in %s, too", n, len(plain.Outcomes), plain.Name)}
		}
		f.Control = &Control{Sent: plain.Name, Outcome: plain.Outcomes[0]}
	} else if why := j.alone(f); why != nil {
		return why
	}
	again := b.again
	if again == nil {
		again = func() Burst { return r.Burst(r.Fresh(), b.Name, b.frames) }
	}
	for range repetitions {
		sent := again()
		switch {
		case r.ended != "":
			return &Because{Cause: unopened, Why: b.Name + " could not be sent again"}
		case sent.Count(j.bad) == 0:
			return &Because{Cause: differently, Why: b.Name + " had another outcome when they were sent again"}
		}
	}
	return nil
}

// minAlone is how many requests at least are sent alone: one of a few fails by chance.
const minAlone = 10

// alone sends the requests of the burst one after the other.
func (j Judgment) alone(f *Finding) *Because {
	r, b := j.r, j.burst
	plain := &Conn{r: r.runner}
	r.fresh = append(r.fresh, plain)
	if err := plain.connect(r.ctx); err != nil {
		return &Because{Cause: unopened, Why: "no connection for the requests of " + b.Name + " alone could be opened"}
	}
	for n := range max(minAlone, len(b.frames)) {
		i := n % len(b.frames)
		frame := b.frames[i]
		if e := jsonrpc.Scan(frame); n >= len(b.frames) && e.ID.Present() { // an id is used once
			frame = bytes.Replace(frame, append([]byte(`"id":`), e.ID.Of(frame).Shown()...), plain.ID().Append([]byte(`"id":`)), 1)
		}
		r.report.Sent++
		o := plain.exchange(r.ctx, frame, expected, r.runner.responseTimeout())
		if o.Kind > Refused || j.bad(i, o) {
			e := jsonrpc.Scan(frame)
			method := e.MethodName(frame)
			return r.runner.because(method, fmt.Sprintf("%s alone returns %s, too", method, describe(o, "the same")))
		}
		if id := jsonrpc.Scan(frame).ID.Of(frame).ID(); o.Kind <= Error && !o.ID.Same(id) {
			return &Because{Probe: "P-026", Cause: "responses have another id", Why: fmt.Sprintf("a response has the id %s, where the request has %s", o.ID, id)}
		}
		f.Control = &Control{Sent: "each of them alone", Outcome: o}
	}
	return nil
}

// Repeatable has the examination send the burst once more, made by again.
func (b Burst) Repeatable(again func() Burst) Burst {
	b.again = again
	return b
}

// Against has the examination compare with a burst that is sent in the plain way.
func (b Burst) Against(plain func() Burst) Burst {
	b.plain = plain
	return b
}
