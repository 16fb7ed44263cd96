package intercept

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/signal"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
)

// Options configure a gate. The zero value is usable.
type Options struct {
	// Limit bounds the time for which a frame is held without a decision; if zero, it is [DefaultLimit].
	Limit time.Duration
	// HTTP reports whether the gate is for HTTP messages. Only such a gate can have HTTP faults.
	HTTP bool
	// Seed makes the probabilities of faults repeatable; 0 means a random seed.
	Seed uint64
}

// Gate holds and changes frames; see the package comment. Its methods may be called
// from any goroutine. A nil Gate lets all frames pass.
type Gate struct {
	options Options
	active  atomic.Bool // a breakpoint or a fault is enabled, or a frame waits

	mu          sync.Mutex
	breakpoints []breakpoint
	faults      []rule
	lastID      int     // id of the newest breakpoint or fault
	lanes       []*Lane // lanes with tickets
	stalled     int     // calls of Take that wait for room
	lastTicket  int64
	tell        func(session string, c *record.Change)
	tellOf      map[string]func(c *record.Change) // functions by session; they take precedence over tell
	requests    requests
	random      *rand.Rand
	signal      signal.Signal
}

// maxRules bounds the breakpoints and the faults, because each frame is checked with all of them.
// Longer lists are refused.
const maxRules = 1000

type breakpoint struct {
	Breakpoint
	filter filter.Filter
}

// New returns a gate without breakpoints.
func New(o Options) *Gate {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	return &Gate{
		options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), //nolint:gosec // faults need no secret numbers
	}
}

// OnChange sets the function that is called for each frame that was held or changed, with its session,
// before the frame is forwarded. It is called from several goroutines.
func (g *Gate) OnChange(tell func(session string, c *record.Change)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tell = tell
}

// OnChangeOf is like OnChange, but for the frames of one session, until stop is called.
func (g *Gate) OnChangeOf(session string, tell func(c *record.Change)) (stop func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tellOf == nil {
		g.tellOf = map[string]func(*record.Change){}
	}
	g.tellOf[session] = tell
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.tellOf, session)
	}
}

// listener returns the function that is called for a changed frame of a session, or nil without one.
func (g *Gate) listener(session string) func(c *record.Change) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if tell := g.tellOf[session]; tell != nil {
		return tell
	}
	if tell := g.tell; tell != nil {
		return func(c *record.Change) { tell(session, c) }
	}
	return nil
}

// Active reports whether frames must be given to [Lane.Take].
func (g *Gate) Active() bool { return g != nil && g.active.Load() }

// State returns the breakpoints, the faults and the frames that wait.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	var s State
	for _, b := range g.breakpoints {
		s.Breakpoints = append(s.Breakpoints, b.Breakpoint)
	}
	for _, f := range g.faults {
		s.Faults = append(s.Faults, f.Fault)
	}
	for _, l := range g.lanes {
		for i, t := range l.queue {
			h := t.held
			if i > 0 && h.Breakpoint == 0 {
				h.Behind = l.queue[i-1].held.ID
			}
			if h.Breakpoint != 0 || h.Behind != 0 || t.clocked {
				s.Held = append(s.Held, h)
			}
		}
	}
	slices.SortStableFunc(s.Held, func(a, b Held) int { return cmp.Compare(a.ID, b.ID) })
	s.Stalled = g.stalled
	return s
}

// Subscribe returns a channel with one slot that receives a token when the state changed, and a function that
// ends the subscription.
func (g *Gate) Subscribe() (<-chan struct{}, func()) { return g.signal.Subscribe() }

// changed wakes the subscribers. The caller holds the lock.
func (g *Gate) changed() {
	active := len(g.lanes) > 0
	for _, b := range g.breakpoints {
		active = active || !b.Disabled
	}
	for _, f := range g.faults {
		active = active || !f.Disabled
	}
	g.active.Store(active)
	if !active {
		g.requests = requests{}
	}
	g.signal.Notify()
}

// SetBreakpoints replaces the breakpoints. One with an existing ID keeps its hits; one without an ID gets one.
// It returns the error of a filter; then nothing is changed. Frames that are held remain held.
func (g *Gate) SetBreakpoints(list []Breakpoint) error {
	if len(list) > maxRules {
		return fmt.Errorf("there are %d breakpoints; at most %d are possible", len(list), maxRules)
	}
	next := make([]breakpoint, 0, len(list))
	for _, b := range list {
		f, err := filter.Parse(b.Filter)
		if err != nil {
			return fmt.Errorf("invalid breakpoint %q: %w", b.Filter, err)
		}
		if f.Empty() {
			return fmt.Errorf("a breakpoint requires a filter, such as method:tools/call")
		}
		next = append(next, breakpoint{b, f})
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range next {
		b := &next[i]
		old := slices.IndexFunc(g.breakpoints, func(old breakpoint) bool { return old.ID == b.ID })
		if b.Hits = 0; old >= 0 {
			b.Hits = g.breakpoints[old].Hits
		}
		g.number(&b.ID)
	}
	g.breakpoints = next
	g.changed()
	return nil
}

// number sets the ID of a breakpoint or fault that has none. The caller holds the lock.
func (g *Gate) number(id *int) {
	if *id == 0 {
		*id = g.lastID + 1
	}
	g.lastID = max(g.lastID, *id)
}

// Decide sets the decision about a waiting frame. It returns an error if the frame is no longer waiting, or the
// decision is impossible.
func (g *Gate) Decide(id int64, d Decision) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	t, err := g.ticket(id)
	if err != nil {
		return err
	}
	switch d.Action {
	case Forward, Drop, Duplicate:
	case Delay:
		if d.Delay <= 0 {
			return fmt.Errorf("a delay must be longer than 0")
		}
	case Respond:
		if len(d.Bytes) == 0 {
			return fmt.Errorf("a response requires bytes")
		}
	default:
		return fmt.Errorf("unknown action %q", d.Action)
	}
	t.ahead = d.Action != Delay
	t.decide(d, byUser)
	return nil
}

// ForwardAll forwards all frames that wait, in their order, unedited.
func (g *Gate) ForwardAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.lanes {
		for _, t := range l.queue {
			if !t.decided {
				t.decide(Decision{Action: Forward}, byRelease)
			}
		}
	}
}

// SetClock stops the clock of a waiting frame, so that it is held without a time limit while the user edits it,
// or starts the clock again with the whole limit. It returns an error if the frame is no longer waiting.
func (g *Gate) SetClock(id int64, running bool) error {
	g.mu.Lock()
	t, err := g.ticket(id)
	var extend func(time.Duration)
	if err == nil {
		t.setClock(running)
		extend = t.extend
	}
	g.mu.Unlock()
	if extend != nil {
		extend(g.options.Limit)
	}
	return err
}

// ticket returns the frame with an ID that can be decided about. The caller holds the lock.
func (g *Gate) ticket(id int64) (*Ticket, error) {
	for _, l := range g.lanes {
		for _, t := range l.queue {
			if t.held.ID == id && !t.turn {
				return t, nil
			}
		}
	}
	return nil, fmt.Errorf("frame %d is no longer held", id)
}

// Release removes all breakpoints and faults and forwards all frames. It is for a
// controller that goes away.
func (g *Gate) Release() {
	g.mu.Lock()
	g.breakpoints, g.faults = nil, nil
	g.changed()
	g.mu.Unlock()
	g.ForwardAll()
}

// match returns the first enabled breakpoint that holds a frame, and the faults to
// apply. The caller holds the lock.
func (g *Gate) match(session string, f *transport.Frame) (held Held, faults []*rule) {
	e := &f.Envelope
	held = Held{Dir: f.Dir, Kind: e.Kind, MessageID: e.ID.Of(f.Bytes).ID(), Session: session, Row: noRow}
	of := request{key: requestKey{session, f.Dir, held.MessageID.Key()}, method: e.MethodName(f.Bytes)}
	switch {
	case e.Kind == jsonrpc.Request:
		of.tool = filter.Tool(f.Bytes, of.method)
		g.requests.add(of)
	case e.Kind.IsResponse():
		of = g.requests.remove(requestKey{session, 1 - f.Dir, held.MessageID.Key()})
	}
	held.Method = of.method
	row := store.RowOf(f)
	row.App = strings.HasPrefix(session, AppSession)
	if f.NonMessageEvent() {
		row.Flags |= store.OtherEvent
	}
	frame := filter.Frame{
		Row: &row, Method: of.method, Tool: func() string { return of.tool },
		Body: func() []byte { return f.Bytes }, ID: func() []byte { return held.MessageID.Bytes() },
	}
	for i := range g.faults {
		if r := &g.faults[i]; r.applies(frame, g.random) {
			faults = append(faults, r)
		}
	}
	for i := range g.breakpoints {
		if b := &g.breakpoints[i]; !b.Disabled && b.filter.Match(&frame) {
			held.Breakpoint = b.ID
			b.Hits++
			break
		}
	}
	return held, faults
}
