package lint

import (
	"bytes"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/record"
)

// Engine judges one connection after the other. Events come in their order and
// from one goroutine at a time; it keeps none of the bytes that it is given.
type Engine struct {
	report func(Finding)
	rules  map[situation]*compiled
	newest situation // the one that was looked up last, and its rules
	those  *compiled
	st     *State
	counts map[cause]int
	batch  []Finding // of the event that is being looked at

	noHeuristics bool

	inFrame    int    // findings of one rule at the end of the batch, dropped ones included
	inMessage  int    // findings of the rule that is running
	limit      limit  // of the rule that is running
	about      string // the subject of its next finding
	subjects   map[subject]int
	duplicates duplicates // memory for one rule, used again for each frame
}

// cause is what repeated findings have in common.
type cause struct {
	rule, what string
}

var allRules = sync.OnceValue(func() map[situation]*compiled { return compileAll(families()) })

// Option changes which rules an engine applies.
type Option func(*Engine)

// NoHeuristics leaves out the rules whose basis is [Heuristic].
func NoHeuristics() Option { return func(e *Engine) { e.noHeuristics = true } }

// New returns an engine that calls report with each finding, from within its
// methods.
func New(report func(Finding), options ...Option) *Engine {
	e := &Engine{report: report, rules: allRules()}
	for _, option := range options {
		option(e)
	}
	e.Begin(Stdio)
	return e
}

// Begin starts a new connection, of which nothing is known yet.
func (e *Engine) Begin(link Link) {
	e.st = newState(link)
	e.counts, e.subjects = map[cause]int{}, map[subject]int{}
}

// Over says how the sides are connected, when that turns out to be otherwise.
func (e *Engine) Over(link Link) { e.st.Link = link }

// State is what the engine knows. It is not to be changed.
func (e *Engine) State() *State { return e.st }

// bom is a byte order mark.
const bom = "\xef\xbb\xbf"

// rulesOf are the rules that hold by a revision.
func (e *Engine) rulesOf(r revision.Revision) *compiled {
	if s := situationOf(r, e.st.Link); e.those == nil || s != e.newest {
		e.newest, e.those = s, e.rules[s]
	}
	return e.those
}

// Frame judges a frame.
func (e *Engine) Frame(f Frame) {
	// All that a frame needs while it is looked at, in one piece.
	all := &struct {
		f         Frame
		ofLine, c Context
		m         Message
	}{f: f}
	e.st.Now = f.Time
	x := e.st.Exchanges[f.Exchange]
	if x != nil {
		x.count(&all.f)
	}
	c := &all.ofLine
	c.St, c.F, c.X, c.engine = e.st, &all.f, x, e
	if f.NonMessageEvent() || x.refusedInOtherWords(&all.f) {
		// An event of another type is no message, and what OAuth, a proxy or a web
		// framework says to a refusal need not be one.
		e.run(e.rulesOf(e.st.Revision).event, c)
		e.settle()
		return
	}
	e.st.spread[f.Dir].take(&all.f, e.st.Link)
	e.run(e.rulesOf(e.st.Revision).line, c)
	b, env := f.Bytes, f.Envelope
	if env.Flaws&jsonrpc.FlawBOM != 0 { // K004 has spoken; no member is found after it
		b = b[len(bom):]
		env = jsonrpc.Scan(b)
	}
	switch env.Kind {
	case jsonrpc.Batch:
		i := 0
		for element := range jsonrpc.Elements(b) {
			if inner := jsonrpc.Scan(element); inner.Kind != jsonrpc.Batch {
				e.message(&Message{Frame: &all.f, Exchange: x, Bytes: element, Envelope: inner, Index: i}, &Context{})
			}
			i++
		}
	default:
		all.m.Frame, all.m.Exchange, all.m.Bytes, all.m.Envelope, all.m.Index = &all.f, x, b, env, -1
		e.message(&all.m, &all.c)
	}
	e.settle()
}

// refusedInOtherWords reports a body that came with a status of failure and does
// not claim to be JSON-RPC: the HTTP error says all there is to say.
func (x *Exchange) refusedInOtherWords(f *Frame) bool {
	if x == nil || f.Dir != transport.In || x.Status < 400 || f.Envelope.Kind == jsonrpc.Batch {
		return false
	}
	_, claims := jsonrpc.Member(f.Bytes, "jsonrpc")
	return !claims && !bytes.Contains(f.Bytes[:min(len(f.Bytes), 200)], []byte(`"jsonrpc"`))
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

// message judges one message, for which the case is still empty. What is no
// object is for the rules about lines.
func (e *Engine) message(m *Message, c *Context) {
	b, env := m.Bytes, m.Envelope
	if env.Kind == jsonrpc.Invalid && !isObject(b, env) {
		return
	}
	m.Params, m.Result, m.Error = env.Params.Of(b), env.Result.Of(b), env.Error.Of(b)
	m.Method = methodName(b, env)
	if env.IDType != jsonrpc.IDAbsent {
		m.ID = env.ID.Of(b)
	}
	m.lookUp()
	if m.IsAnswer() && m.ID != nil {
		if m.Request = e.st.Request(1-m.Frame.Dir, m.ID); m.Request != nil {
			m.Method = m.Request.Method
		}
	}
	m.Revision = e.st.revisionOf(m)
	c.St, c.F, c.M, c.X, c.engine = e.st, m.Frame, m, m.Exchange, e
	rules := e.rulesOf(m.Revision)
	e.run(rules.message, c)
	e.run(rules.messageOfKind[env.Kind], c)
	e.run(rules.messageOf[m.Method], c)
	e.st.learn(m)
	m.Exchange.carries(m, e.st)
	e.run(rules.after, c)
	e.run(rules.afterOfKind[env.Kind], c)
	e.run(rules.afterOf[m.Method], c)
	if m.Request != nil && m.Request.Answered {
		e.st.end(m.Request)
	}
}

// methodNames are those of the specification, so that a frame of every day needs
// no memory for its own.
var methodNames = func() map[string]string {
	names := map[string]string{}
	for _, m := range append(revision.Methods("", revision.Client), revision.Methods("", revision.Server)...) {
		names[m.Name] = m.Name
	}
	return names
}()

func methodName(b []byte, env jsonrpc.Envelope) string {
	if name, ok := methodNames[string(env.Method.Of(b))]; ok {
		return name
	}
	return env.MethodName(b)
}

// isObject reports whether something that is no message is at least an object
// whose members can be looked at.
func isObject(b []byte, env jsonrpc.Envelope) bool {
	return len(b) > 0 && b[0] == '{' && env.Fault != jsonrpc.FaultNotJSON && env.Fault != jsonrpc.FaultNotUTF8
}

// maxKept is how many bytes of params are kept after the answer: retries and
// tasks refer to them.
const maxKept = 16 << 10

func (r *Request) forget() {
	if len(r.Params) > maxKept {
		r.Params = nil
	}
}

// HTTP judges an exchange, whenever it has got further.
func (e *Engine) HTTP(report transport.Exchange, row int32) {
	x := e.st.Exchanges[report.ID]
	if x == nil {
		x = &Exchange{}
		if first := e.st.Exchanges[report.Repeats]; first != nil {
			x.repeats(first)
		}
		e.st.Exchanges[report.ID] = x
	} else {
		x.phases = int(x.Phase) + 1
	}
	if report.Phase == transport.ExchangeDone && !x.Done {
		e.st.finished(report.ID)
	}
	if report.Purpose == "end session" {
		e.st.Closing = true
	}
	x.Exchange, x.Row, x.Done = report, row, report.Phase == transport.ExchangeDone
	x.streamed(report)
	if report.Purpose == "stream" {
		e.st.Link = SSE // a server was asked both ways, and knows this one
	}
	e.st.Now = latest(e.st.Now, report.Start.Add(max(report.FirstByte, report.Took)))
	if id, ok := e.st.opens(x); ok {
		defer func() { e.st.Session = id }()
	}
	r := e.st.Revision
	if x.Revision != "" {
		r = x.Revision
	}
	e.exchange(&Context{St: e.st, X: x, engine: e}, r)
	x.lose()
	for _, r := range x.Requests {
		if !r.Waits() {
			e.st.end(r)
		}
	}
	e.settle()
}

// Event takes note of an event without data on a stream: it has an id or a wait
// and brings no frame. Who is told of it in the reports of the exchange need not
// call it.
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
	c := &Context{St: e.st, engine: e}
	for _, h := range e.rulesOf(e.st.Revision).stderr {
		c.apply(&h.hook)
		h.find(c, line)
	}
	e.settle()
}

// Authorization checks a step of authorization that has ended: the request of
// the browser, which is not an exchange of mcptea, and the response by way of it.
func (e *Engine) Authorization(at time.Time, step *record.Step, row int32) {
	if step.URL == "" && step.Refused == "" {
		return
	}
	e.st.Now = latest(e.st.Now, at)
	x := &Exchange{Row: row}
	x.Phase, x.Method, x.URL, x.Purpose, x.Start = transport.ExchangeSent, http.MethodGet, step.URL, transport.PurposeAuthorization, at
	c := &Context{St: e.st, X: x, Step: step, engine: e}
	e.exchange(c, e.st.Revision)
	e.settle()
}

// exchange runs the rules about HTTP.
func (e *Engine) exchange(c *Context, r revision.Revision) {
	e.run(e.rulesOf(r).http, c)
	if r == "" {
		r = e.st.Offered // authorization comes before the first response
	}
	e.run(e.rulesOf(r).auth, c)
}

// Tick lets time pass. Rules about silence look then.
func (e *Engine) Tick(now time.Time) {
	e.st.Now = now
	e.run(e.rulesOf(e.st.Revision).tick, &Context{St: e.st, engine: e})
	e.settle()
}

// End ends the connection: the process has gone, or the stream.
func (e *Engine) End(at time.Time, how Ending) {
	if e.st.Ended {
		return
	}
	e.st.Now, e.st.Ended = at, true
	e.run(e.rulesOf(e.st.Revision).end, &Context{St: e.st, End: &how, engine: e})
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

// apply makes a rule the one that reports.
func (c *Context) apply(h *hook) {
	c.entry = h.entry
	c.engine.limit, c.engine.about, c.engine.inMessage = h.limit, "", 0
}

// run calls rules.
func (e *Engine) run(hooks []hook, c *Context) {
	for i := range hooks {
		c.apply(&hooks[i])
		hooks[i].find(c)
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
	e.batch, e.inFrame = e.batch[:0], 0
}

// maxCauses bounds the places that repeated findings are counted by.
const maxCauses = 10_000

func (e *Engine) tell(f Finding) {
	key := cause{f.Rule.ID, f.Path}
	if e.counts[key] == 0 && (len(e.counts) >= maxCauses || len(f.Path) > maxKept) {
		key.what = "" // paths hold names of the peer
	}
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
