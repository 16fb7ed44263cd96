package flow

import (
	"hash/maphash"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// Outcome is a request from the view of its sender, with its outcome so far. A [Matcher] matches
// frames instead. It sees two requests if a tap sends a call again in the next session, and no
// response if a tap answers a call itself. In both cases there is one Outcome.
type Outcome struct {
	Dir          transport.Direction
	Method, Name string // method and name, as in [Flow]
	Start        time.Time
	// State is Pending, Answered, Cancelled or Abandoned. Abandoned may become Answered, if a tap responds.
	State State
	// Took is the time until the response of the peer, or 0.
	Took     time.Duration
	TimedOut bool // the sender cancelled the request because of a timeout
	// IsToolError and IsErrorResponse describe the response; see [IsFailure]. A malformed response
	// is an error response.
	IsToolError, IsErrorResponse bool
	// IsOwn reports whether mcptea has made the response. The peer has not seen the request, or
	// mcptea did not wait for the peer.
	IsOwn bool

	unsent bool // the request was not sent
}

// IsFailed reports whether there is an error instead of a result, or no response at all. A request
// that its sender cancelled has not failed.
func (o *Outcome) IsFailed() bool {
	return o.IsToolError || o.IsErrorResponse || o.TimedOut || o.State == Abandoned
}

// IsNamed reports whether requests of a method are listed by the name of their tool or prompt.
func IsNamed(method string) bool { return method == "tools/call" || method == "prompts/get" }

// Outcomes follows the requests of both sides through a record. It computes all counts of requests
// and failures and all response times, so they agree everywhere. It is not safe for concurrent use.
type Outcomes struct {
	seed maphash.Seed
	open map[outcomeKey]*Outcome // open outcomes; at most maxOpen
	lost int                     // the flows abandoned since the newest makeRoom
}

// outcomeKey identifies a request without a response. A request that a tap sends by itself has
// another key than a request of the host with the same id.
type outcomeKey struct {
	id       uint64
	beside   uint16
	dir      transport.Direction
	attached bool
}

// maxOpen bounds the requests without a response that are followed, like the requests of a [Table].
// New ones replace abandoned ones. If there is no room for a request, its outcome stays Pending.
const maxOpen = maxPending

// NewOutcomes returns the outcomes of a record without events.
func NewOutcomes() *Outcomes {
	return &Outcomes{seed: maphash.MakeSeed(), open: map[outcomeKey]*Outcome{}}
}

// Match handles a match of an event. It calls changed for each request whose state it changes, with
// the previous state, which is Unknown for a new request. The outcome is valid during the call.
func (x *Outcomes) Match(e *record.Event, m *Match, changed func(before State, o *Outcome)) {
	switch {
	case e.Kind == record.KindFrame && e.Frame.NonMessageEvent():
	case !m.IsMessage():
		x.ended(e, m, changed)
	case m.Kind() == jsonrpc.Request:
		x.request(e, m, changed)
	case m.Kind() == jsonrpc.Notification:
		if m.Ended != NotEnded {
			x.ended(e, m, changed)
		}
	default:
		x.response(e, m, changed)
	}
}

func (x *Outcomes) key(e *record.Event, m *Match, dir transport.Direction) outcomeKey {
	id := m.Envelope.ID.Of(m.Bytes)
	if m.Flow != nil && (m.Kind() == jsonrpc.Notification || !id.Present()) {
		id = m.Flow.ID.Token()
	}
	meaning := id.Meaning()
	meaning = meaning[:min(len(meaning), maxText/2)] // a Flow has only the start of a long id
	attached := e.Kind == record.KindFrame && e.Frame.Side == transport.Attached
	return outcomeKey{maphash.Bytes(x.seed, meaning), e.ConnBeside(), dir, attached}
}

func (x *Outcomes) request(e *record.Event, m *Match, changed func(State, *Outcome)) {
	key := x.key(e, m, m.Dir)
	before := x.open[key]
	switch side := e.Frame.Side; {
	case m.IsSubscription():
		return
	case side == transport.Own: // a tap sends a request again, or sends one of its own
		if before != nil && before.State == Abandoned {
			before.State = Pending
			changed(Abandoned, before)
		}
		return
	case side == transport.Injected && before != nil && before.State == Pending: // the second frame of a duplicated request
		return
	case before != nil:
		x.settle(before, Abandoned, changed)
		delete(x.open, key)
	}
	if len(x.open) >= maxOpen && x.lost > maxOpen/8 {
		x.makeRoom()
	}
	o := &Outcome{Dir: m.Dir, Method: m.Method, Start: m.Time, State: Pending, unsent: e.Frame.Side == transport.Withheld}
	if m.Flow != nil {
		o.Name = m.Flow.Name
	}
	if len(x.open) < maxOpen {
		x.open[key] = o
	}
	if !o.unsent { // an unsent request is counted when mcptea has responded to it
		changed(Unknown, o)
	}
}

// makeRoom removes the requests that were abandoned.
func (x *Outcomes) makeRoom() {
	for key, o := range x.open {
		if o.State != Pending {
			delete(x.open, key)
		}
	}
	x.lost = 0
}

// settle ends the wait for a response that did not arrive.
func (x *Outcomes) settle(o *Outcome, state State, changed func(State, *Outcome)) {
	if o.State != Pending || o.unsent {
		return
	}
	if o.State = state; state == Abandoned {
		x.lost++
	}
	changed(Pending, o)
}

// ended handles the end of a request without a response, or with a response that lacks its id.
func (x *Outcomes) ended(e *record.Event, m *Match, changed func(State, *Outcome)) {
	if m.Ended == NotEnded || m.Flow == nil {
		return
	}
	key := x.key(e, m, m.Flow.Dir)
	key.attached = false
	o := x.open[key]
	if o == nil {
		key.attached = true
		if o = x.open[key]; o == nil {
			return
		}
	}
	switch {
	case m.Ended == ByReuse: // the request that reuses the id reports it
	case m.State == Answered:
		o.IsErrorResponse = m.Flow.IsError
		x.answer(key, o, m.Time, changed)
	case m.State == Cancelled:
		o.TimedOut = m.Ended == ByTimeout
		x.settle(o, Cancelled, changed)
		delete(x.open, key)
	default:
		x.settle(o, Abandoned, changed)
	}
}

func (x *Outcomes) response(e *record.Event, m *Match, changed func(State, *Outcome)) {
	side := e.Frame.Side
	if side == transport.Withheld || side == transport.Own || m.Kind() == jsonrpc.Invalid && m.Ended != ByResponse {
		return // the frame does not reach the sender of a request
	}
	key := x.key(e, m, 1-m.Dir)
	o := x.open[key]
	if o == nil || o.State != Pending && side != transport.Injected {
		return // the response is late, or has no request
	}
	o.IsToolError, o.IsErrorResponse = m.ToolError, IsFailure(m.Kind(), m.Method) || !m.Kind().IsResponse()
	o.IsOwn = side == transport.Injected
	x.answer(key, o, m.Time, changed)
}

func (x *Outcomes) answer(key outcomeKey, o *Outcome, at time.Time, changed func(State, *Outcome)) {
	if o.unsent {
		o.unsent = false
		changed(Unknown, o)
	}
	before := o.State
	o.State = Answered
	if !o.IsOwn {
		o.Took = max(0, at.Sub(o.Start))
	}
	delete(x.open, key)
	changed(before, o)
}
