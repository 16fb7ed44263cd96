package probe

import (
	"bytes"
	"fmt"
	"sync"

	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
)

// A Burst is a set of requests sent concurrently, with their outcomes.
type Burst struct {
	Name     string
	Outcomes []Outcome
	frames   [][]byte
	// plain sends the plain form of the burst. If nil, the control sends each request alone.
	plain func() Burst
	// again repeats the burst. If nil, the frames are sent again on a new connection.
	again func() Burst
}

// Burst sends the frames concurrently on a connection and waits for all responses. Outcomes are in the order of
// the frames.
func (r *Run) Burst(c *Conn, name string, frames [][]byte) Burst {
	conns := make([]*Conn, len(frames))
	for i := range conns {
		conns[i] = c
	}
	return r.BurstOver(name, conns, frames)
}

// BurstOver is like Burst, but sends each frame on a separate connection.
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
		if r.runner.limits.note(o.Status, o.Header); mcphttp.IsLimit(o.Status, o.Header) { // too many concurrent requests for its rate limit
			r.limited()
			break
		}
		o.x = &exchange{name: name, conn: conns[i]}
		if o.Kind == Dead {
			r.dead(conns[i], *o, expected, frames...)
			r.because = r.unproven
			r.end(Failure, "the server ended during "+name) // the probe ends, because the number of missing responses adds no information
			break
		}
	}
	return b
}

// OfBurst returns a Judgment about the outcomes for which bad returns true. Its findings are
// reported only if a repeated burst leads to such an outcome again, and no request does when it is
// sent alone.
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

// Count returns the number of outcomes for which holds returns true.
func (b Burst) Count(holds func(i int, o Outcome) bool) (n int) {
	for i, o := range b.Outcomes {
		if holds(i, o) {
			n++
		}
	}
	return n
}

// examineBurst sends the requests of the burst one by one on a new connection, and then repeats the burst.
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

// minAlone is the minimum number of requests that alone sends. With fewer, a request could succeed
// by chance.
const minAlone = 10

// alone sends the requests of the burst one by one.
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
		if e := jsonrpc.Scan(frame); n >= len(b.frames) && e.ID.Present() { // ids must not be reused, so the repeated frame gets a new one
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

// Repeatable sets the function that repeats the burst.
func (b Burst) Repeatable(again func() Burst) Burst {
	b.again = again
	return b
}

// Against sets the function that sends the plain form of the burst, which serves as the control.
func (b Burst) Against(plain func() Burst) Burst {
	b.plain = plain
	return b
}
