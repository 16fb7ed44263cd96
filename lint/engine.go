package lint

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record/flow"
)

// Engine checks one connection after another. It receives events in order, from one goroutine at a
// time. It keeps none of their bytes.
type Engine struct {
	report      func(Finding)
	catalog     *Catalog
	newest      situation // situation of the newest event; newestRules are its rules
	newestOf    revision.Revision
	newestRules *compiled
	st          *State
	counts      map[place]*int // findings so far; see timesAt
	batch       []pending      // findings of the current event
	muted       []muted        // findings of the event that a limit has dropped
	definitions definitions

	selected       map[selection][]hook
	newestSelected [stages][2]struct {
		selection
		hooks []hook
	}

	noHeuristics bool
	isPart       bool                 // frames of the session are missing
	redact       func(string) string  // redacts texts, or nil
	texts        func(times int) bool // reports whether a finding needs texts; nil if all findings do
	asked        func(name string)    // see [Asked], or nil
	excerpts     func([]byte) []byte  // returns the frame for excerpts, redacted; nil if findings have no excerpts; see [Excerpts]
	redacted     []byte               // frame of the event for excerpts, or nil before the first excerpt

	current   current
	objects   objects
	eraOf     revision.Revision // newest protocol version; stateless is whether it is stateless
	stateless bool
	silent    bool // findings are dropped, because no peer has sent the frame
	calls     uint // calls of rules so far; identifies the running call
	inFrame   int  // number of findings of one rule at the end of the batch, including dropped ones
	// inMessage is the number of findings of the rule call with the number counted. about is the
	// subject that the call with the number named has set.
	inMessage      int
	subject        string
	counted, named uint
	subjects       map[subject]int

	apps map[uint16]*App // open apps by connection

	ticked time.Time // when the rules about timeouts last ran
	rows   int32     // rows of the record so far
	known  []row     // newest frames, by row; a change may refer to one of them
}

// current holds the objects that rules check while the engine handles a frame. It is reused for each frame to
// save an allocation.
type current struct {
	f         Frame
	ofLine, c Context
	m         Message
}

// place is a key for findings that repeat.
type place struct {
	rule, value string
}

// Option changes which rules an engine applies.
type Option func(*Engine)

// NoHeuristics skips the rules whose basis is [Heuristic].
func NoHeuristics() Option { return func(e *Engine) { e.noHeuristics = true } }

// Redact applies a function to each line of stderr before the line is truncated, and to the texts
// of findings. It is for secrets that the caller has passed to the server. No rule can recognize
// them.
func Redact(redact func(string) string) Option { return func(e *Engine) { e.redact = redact } }

// Asked sets a function that is called with the name of an invariant when the invariant has
// something to judge. An invariant that had nothing to judge proves nothing.
func Asked(asked func(name string)) Option { return func(e *Engine) { e.asked = asked } }

// Texts limits the findings that get a message and a fix, because these texts take most of the
// time. needed is called with the number of earlier findings of the rule at the same place.
func Texts(needed func(times int) bool) Option { return func(e *Engine) { e.texts = needed } }

// Begin starts a new connection.
func (e *Engine) Begin(link Link) {
	before := e.st
	if e.st = newState(link); before != nil {
		e.st.keepLasting(before)
	}
	e.counts, e.subjects = map[place]*int{}, map[subject]int{}
	e.definitions.foreign = nil
}

// State returns the state of the connection. The caller must not change it.
func (e *Engine) State() *State { return e.st }

// bom is a byte order mark.
const bom = "\xef\xbb\xbf"

// rulesOf returns the rules that apply to a protocol version.
func (e *Engine) rulesOf(r revision.Revision) *compiled {
	if e.newestRules == nil || r != e.newestOf || e.st.Link != e.newest.link {
		s := situationOf(r, e.st.Link)
		e.newest, e.newestOf, e.newestRules = s, r, e.catalog.compiled[s]
	}
	return e.newestRules
}

// Frame checks a frame.
func (e *Engine) Frame(f Frame) {
	e.current.f = f
	e.frame()
}

// frame checks the frame in current.
func (e *Engine) frame() {
	all := &e.current
	all.ofLine, all.c, all.m = Context{}, Context{}, Message{}
	f := &all.f
	e.st.Now = f.Time
	x := e.st.Exchanges[f.Exchange]
	if x != nil {
		x.countFrame(f)
	}
	c := &all.ofLine
	c.St, c.F, c.X, c.engine = e.st, f, x, e
	if f.NonMessageEvent() || x.hasOtherErrorBody(f) {
		// An event with another type is not a message. The body of an HTTP error need not be one.
		rules := e.rulesOf(e.st.Revision)
		e.run(rules.event, c)
		if !f.NonMessageEvent() {
			c.Body = f.Bytes
			e.run(rules.body, c)
		}
		e.flush()
		return
	}
	e.st.multiline[f.Dir].addFrame(f, e.st.Link)
	if e.silent {
		e.st.multiline[f.Dir].begun = nil
	}
	c.setLineConditions()
	e.dispatch(lines, &e.rulesOf(e.st.Revision).line, c)
	b, env := f.Bytes, f.Envelope
	if env.Flaws&jsonrpc.FlawBOM != 0 { // K004 has reported it; members after it cannot be found
		b = b[len(bom):]
		env = jsonrpc.Scan(b)
	}
	switch env.Kind {
	case jsonrpc.Batch:
		i := 0
		for element := range jsonrpc.Elements(b) {
			if inner := jsonrpc.Scan(element); inner.Kind != jsonrpc.Batch {
				e.message(&Message{Frame: f, Exchange: x, Bytes: element, Envelope: inner, Index: i}, &Context{})
			}
			i++
		}
	default:
		all.m.Frame, all.m.Exchange, all.m.Bytes, all.m.Envelope, all.m.Index = f, x, b, env, -1
		e.message(&all.m, &all.c)
	}
	e.flush()
}

// silently adds a frame to the state and reports nothing about it. The user or a fault of mcptea
// has changed the frame, so no peer has sent it in this form. But its receiver acts on it.
func (e *Engine) silently(f Frame) {
	e.silent = true
	e.Frame(f)
	e.silent = false
}

// sentOthers records that a checked frame was not forwarded. Other frames were forwarded instead,
// or none. Later frames are judged by the frames that the receiver got.
func (e *Engine) sentOthers(f Frame, sent [][]byte) {
	for r := range e.st.Flows.PendingAfter(f.Row - 1) {
		if r.Row() != f.Row {
			break
		}
		// The receiver has not seen the request in this form.
		e.st.Flows.EndFlow(r, flow.Abandoned, f.Time)
	}
	for i, frame := range sent {
		f.Bytes, f.Envelope = frame, jsonrpc.Scan(frame)
		e.silently(f)
		if id := f.Envelope.ID.Of(frame); i > 0 && f.Envelope.Kind == jsonrpc.Request && id.Present() {
			e.st.sentTwice(f.Dir, id)
		}
	}
}

// message checks one message with an empty context. If it is not an object, only the rules about lines apply.
func (e *Engine) message(m *Message, c *Context) {
	b, env := m.Bytes, m.Envelope
	if env.Kind == jsonrpc.Invalid && !isObject(b, env) {
		e.st.Flows.Message(e.st.forFlows(m)) // the message may still be the response to a request
		return
	}
	m.Params, m.Result, m.Error = env.Params.Of(b), env.Result.Of(b), env.Error.Of(b)
	m.Method = methodName(b, env)
	if env.IDType != jsonrpc.IDAbsent {
		m.ID = env.ID.Of(b)
	}
	e.objects.reset()
	m.objects = &e.objects
	m.scanMembers()
	if m.IsRequest() {
		e.st.noteSharedID(m)
	}
	if m.IsResponse() && m.ID.Present() {
		m.Request = e.st.Flows.Find(1-m.Frame.Dir, m.ID)
		shared := e.st.hasSharedID(m)
		switch {
		case shared:
			m.Request = nil
		case m.Request != nil && !isNotification(m.Request.Method): // a notification has no result
			m.Method = m.Request.Method
		}
		if (shared || e.st.hasMoreResponses(m)) && !e.silent {
			e.silent = true
			defer func() {
				e.flush()
				e.silent = false
			}()
		}
	}
	m.Revision = e.st.revisionOf(m)
	if m.Revision != e.eraOf {
		e.eraOf, e.stateless = m.Revision, m.Revision.IsStateless()
	}
	m.stateless = e.stateless
	if env.Flaws&jsonrpc.FlawTooDeep != 0 { // J041 has reported the depth; the members are unknown
		e.st.update(m)
		m.Exchange.addMessage(m, e.st)
		return
	}
	c.St, c.F, c.M, c.X, c.engine = e.st, m.Frame, m, m.Exchange, e
	c.setConditions()
	rules := e.rulesOf(m.Revision)
	if !e.silent {
		e.compare(c, rules)
	}
	e.dispatch(before, &rules.message, c)
	e.st.update(m)
	m.Exchange.addMessage(m, e.st)
	e.dispatch(after, &rules.after, c)
	if len(e.definitions.faults) > 0 {
		e.differs(c, rules.everywhere)
	}
}

// methodNames maps the methods of the specification to shared strings. It saves an allocation per
// method name.
var methodNames = func() map[string]string {
	names := map[string]string{}
	for _, m := range append(revision.Methods("", revision.Client), revision.Methods("", revision.Server)...) {
		names[m.Name] = m.Name
	}
	return names
}()

func methodName(b []byte, env jsonrpc.Envelope) string {
	if name, ok := methodNames[string(env.MethodText(b))]; ok {
		return name
	}
	return env.MethodName(b)
}

// isObject reports whether the members of an invalid message can be checked.
func isObject(b []byte, env jsonrpc.Envelope) bool {
	return len(b) > 0 && b[0] == '{' && env.Fault != jsonrpc.FaultNotJSON && env.Fault != jsonrpc.FaultNotUTF8
}

const (
	// maxStderrText bounds the part of a line of stderr that the rules check, in
	// bytes.
	maxStderrText = 300
	// secretReach is the number of bytes after that part that are searched for the rest of a
	// secret.
	secretReach = 1 << 10
)

// Stderr checks a line of the server's stderr.
func (e *Engine) Stderr(at time.Time, line string) {
	e.st.Now = at
	if e.redact != nil { // redacted first: half a secret would not be recognized
		line = e.redact(line[:min(len(line), maxStderrText+secretReach)])
	}
	line = line[:min(len(line), maxStderrText)]
	e.run(e.rulesOf(e.st.Revision).stderr, &Context{St: e.st, Stderr: line, engine: e})
	e.flush()
}

// Tick runs the rules about timeouts.
func (e *Engine) Tick(now time.Time) {
	e.st.Now, e.ticked = now, now
	e.run(e.rulesOf(e.st.Revision).tick, &Context{St: e.st, engine: e})
	e.flush()
}

// End records that the process has exited or the stream has ended, and runs the rules about that.
func (e *Engine) End(at time.Time, how Ending) {
	if e.st.Ended {
		return
	}
	e.st.Now, e.st.Ended = at, true
	e.run(e.rulesOf(e.st.Revision).end, &Context{St: e.st, End: &how, engine: e})
	e.flush()
	e.Close(at)
}

// Close records the end of the connection, on any transport. The state stays.
func (e *Engine) Close(at time.Time) {
	if e.st.closed {
		return
	}
	e.st.Now, e.st.closed = at, true
	e.Last()
	e.run(e.rulesOf(e.st.Revision).closed, &Context{St: e.st, engine: e})
	e.flush()
}

// Last runs the rules for the end of the input. Later calls have no effect.
func (e *Engine) Last() {
	e.run(e.rulesOf(e.st.Revision).last, &Context{St: e.st, engine: e})
	e.flush()
	for i := range e.st.multiline {
		e.st.multiline[i].reset()
	}
}

// Ending describes the end of a connection.
type Ending struct {
	Row      int32
	By       Side // side that closed the connection, or Either if unknown
	Exited   bool // a process has exited
	ExitCode int
	Signal   string
	// RanOn is the time from the end of stdin to the end of the process.
	RanOn time.Duration
}

// flush reports the findings of an event. It drops findings that another finding replaces.
func (e *Engine) flush() {
	if e.silent {
		e.batch = e.batch[:0]
		e.inFrame = 0
	}
	e.muted, e.redacted = e.muted[:0], nil
	if len(e.batch) == 0 {
		return
	}
	var replaced []string
	for i := range e.batch {
		replaced = append(replaced, e.batch[i].Rule.Replaces...)
	}
	for i := range e.batch {
		if f := &e.batch[i]; !slices.Contains(replaced, f.Rule.ID) {
			e.emit(f)
		}
	}
	e.batch, e.inFrame = e.batch[:0], 0
}

// pending is a finding that is reported at the end of the event.
type pending struct {
	Finding
	times *int // counter of the findings at the place
}

func (e *Engine) emit(f *pending) {
	*f.times++
	f.Times = *f.times
	e.report(f.Finding)
}

// maxCauses bounds the places for which repeated findings are counted.
const maxCauses = 10_000

// timesAt returns the counter for the findings of a rule at a path.
func (e *Engine) timesAt(rule, path string) *int {
	n := e.counts[place{rule, path}]
	if n == nil && len(e.counts) >= maxCauses { // the peer chooses names in paths, so their number is bounded
		path = ""
		n = e.counts[place{rule, path}]
	}
	if n == nil {
		n = new(int)
		e.counts[place{rule, path}] = n
	}
	return n
}

// StdinClosed records that the client has closed the server's stdin.
func (e *Engine) StdinClosed(at time.Time) {
	e.st.Now, e.st.StdinClosed = at, at
}
