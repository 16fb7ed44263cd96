package lint

import (
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Engine judges one connection after the other. Events come in their order and
// from one goroutine at a time; it keeps none of the bytes that it is given.
type Engine struct {
	report func(Finding)
	rules  *compiled
	st     *State
	counts map[cause]int
	batch  []Finding // of the event that is being looked at
}

// cause is what repeated findings have in common.
type cause struct {
	rule, what string
}

var allRules = sync.OnceValue(func() *compiled { return compile(families()) })

// New returns an engine that tells of its findings as they come. report is
// called from within the methods of the engine.
func New(report func(Finding)) *Engine {
	e := &Engine{report: report, rules: allRules()}
	e.Begin(Stdio)
	return e
}

// Begin starts a new connection, of which nothing is known yet.
func (e *Engine) Begin(link Link) {
	e.st = newState(link)
	e.counts = map[cause]int{}
}

// Over says how the sides are connected, when that turns out to be otherwise.
func (e *Engine) Over(link Link) { e.st.Link = link }

// State is what the engine knows. It is not to be changed.
func (e *Engine) State() *State { return e.st }

// Frame judges a frame.
func (e *Engine) Frame(f Frame) {
	e.st.Now = f.Time
	x := e.st.Exchanges[f.Exchange]
	if x != nil {
		x.count(&f)
	}
	e.run(e.rules.line, &Case{St: e.st, F: &f, X: x, engine: e})
	switch f.Envelope.Kind {
	case jsonrpc.Batch:
		i := 0
		for element := range jsonrpc.Elements(f.Bytes) {
			if inner := jsonrpc.Scan(element); inner.Kind != jsonrpc.Batch {
				e.message(&f, x, element, inner, i)
			}
			i++
		}
	default:
		e.message(&f, x, f.Bytes, f.Envelope, -1)
	}
	e.settle()
}

func (x *Exchange) count(f *Frame) {
	if f.Dir == transport.Out {
		x.Sent++
		return
	}
	x.Got++
	if f.EventID != "" || f.EventName != "" {
		x.Events++
	}
	if f.EventID != "" {
		x.LastID = f.EventID
	}
}

// message judges one message. What is no object is for the rules about lines.
func (e *Engine) message(f *Frame, x *Exchange, b []byte, env jsonrpc.Envelope, index int) {
	if env.Kind == jsonrpc.Invalid && !isObject(b, env) {
		return
	}
	m := &Message{
		Frame: f, Bytes: b, Envelope: env, Index: index, Exchange: x,
		Method: env.MethodName(b), Params: env.Params.Of(b), Result: env.Result.Of(b), Error: env.Error.Of(b),
	}
	if env.IDType != jsonrpc.IDAbsent {
		m.ID = env.ID.Of(b)
	}
	if m.IsAnswer() && m.ID != nil {
		if m.Request = e.st.Requests[1-f.Dir][string(m.ID)]; m.Request != nil {
			m.Method = m.Request.Method
		}
	}
	m.Revision = e.st.revisionOf(m)
	c := &Case{St: e.st, F: f, M: m, X: x, engine: e}
	e.run(e.rules.message, c)
	e.run(e.rules.messageOf[m.Method], c)
	e.st.learn(m)
	e.run(e.rules.after, c)
	e.run(e.rules.afterOf[m.Method], c)
	if m.Request != nil && m.Request.Answered {
		m.Request.forget()
	}
}

// isObject reports whether something that is no message is at least an object
// whose members can be looked at.
func isObject(b []byte, env jsonrpc.Envelope) bool {
	return len(b) > 0 && b[0] == '{' && env.Fault != jsonrpc.FaultNotJSON && env.Fault != jsonrpc.FaultNotUTF8
}

// mostKept is how many bytes of params are kept after the answer: retries and
// tasks refer to them.
const mostKept = 16 << 10

func (r *Request) forget() {
	if len(r.Params) > mostKept {
		r.Params = nil
	}
}

// HTTP judges an exchange, whenever it has got further.
func (e *Engine) HTTP(report transport.Exchange, row int32) {
	x := e.st.Exchanges[report.ID]
	if x == nil {
		x = &Exchange{}
		e.st.Exchanges[report.ID] = x
	}
	x.Exchange, x.Row, x.Done = report, row, report.Phase == transport.ExchangeDone
	e.st.Now = latest(e.st.Now, report.Start.Add(max(report.FirstByte, report.Took)))
	if id := report.ResponseHeader.Get("Mcp-Session-Id"); id != "" && e.st.Session == "" {
		defer func() { e.st.Session = id }()
	}
	e.run(e.rules.http, &Case{St: e.st, X: x, engine: e})
	e.settle()
}

// Event takes note of an event without data on a stream: it has an id or a wait
// and brings no frame.
func (e *Engine) Event(exchange uint32, id string, retry time.Duration) {
	x := e.st.Exchanges[exchange]
	if x == nil {
		return
	}
	x.Events++
	if id != "" {
		x.LastID = id
	}
	if retry > 0 {
		x.Retry = retry
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Stderr judges a line of the server's stderr.
func (e *Engine) Stderr(at time.Time, line string) {
	e.st.Now = at
	c := &Case{St: e.st, engine: e}
	for i := range e.rules.stderr {
		if h := &e.rules.stderr[i]; h.holdsFor(e.st.Revision) {
			c.entry = h.entry
			h.find(c, line)
		}
	}
	e.settle()
}

// Tick lets time pass. Rules about silence look then.
func (e *Engine) Tick(now time.Time) {
	e.st.Now = now
	e.run(e.rules.tick, &Case{St: e.st, engine: e})
	e.settle()
}

// End ends the connection: the process has gone, or the stream.
func (e *Engine) End(at time.Time, how Ending) {
	if e.st.Ended {
		return
	}
	e.st.Now, e.st.Ended = at, true
	e.run(e.rules.end, &Case{St: e.st, End: &how, engine: e})
	e.settle()
}

// Ending says how a connection ended.
type Ending struct {
	Row      int32
	By       Side // who closed it; Either when nobody can tell
	Exited   bool // a process has gone
	ExitCode int
	Signal   string
	// Lingered is how long the process ran on after its stdin was closed.
	Lingered time.Duration
}

// run calls the rules that hold.
func (e *Engine) run(hooks []hook, c *Case) {
	r := c.revision()
	for i := range hooks {
		if h := &hooks[i]; h.holdsFor(r) || c.countsAs(h.entry) {
			c.entry = h.entry
			h.find(c)
		}
	}
}

// settle reports what an event has given, without what is superfluous.
func (e *Engine) settle() {
	if len(e.batch) == 0 {
		return
	}
	var gone []string
	for _, f := range e.batch {
		gone = append(gone, replaced[f.Rule.ID]...)
	}
	for _, f := range e.batch {
		if !slices.Contains(gone, f.Rule.ID) {
			e.tell(f)
		}
	}
	e.batch = e.batch[:0]
}

func (e *Engine) tell(f Finding) {
	key := cause{f.Rule.ID, f.Path}
	e.counts[key]++
	f.Times = e.counts[key]
	e.report(f)
}

// Revision is the one in force; empty while nothing is known.
func (e *Engine) Revision() revision.Revision { return e.st.Revision }

// StdinClosed takes note that the client has closed the server's stdin.
func (e *Engine) StdinClosed(at time.Time) {
	e.st.Now, e.st.StdinClosed = at, at
}
