package flow

import (
	"hash/maphash"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

const (
	// maxPending bounds the held requests without a response. If there are more, only the rows of
	// the older half stay.
	maxPending = 50_000
	// maxText bounds the part of a text of the peer that is kept for display, in bytes.
	maxText = 256
)

// Limits bounds the data of a [Table] besides the pending requests. The zero value keeps no params, and only
// the rows of ended requests.
type Limits struct {
	// MaxParams bounds the params of all pending server requests together, in bytes. Beyond that,
	// and after the end of a request, only params of up to ShortParams bytes are kept, with a total
	// of up to MaxParams again. The params of pending client requests are kept without a limit. 0
	// keeps no params.
	MaxParams, ShortParams int
	// Ended bounds the number of held ended flows. EndedBytes bounds the bytes of all their texts.
	Ended, EndedBytes int
	// Released is called for each flow that is no longer held. It may be nil.
	Released func(*Flow)
}

// Table correlates the messages of one connection. It is not safe for concurrent
// use.
type Table struct {
	limits Limits
	seed   maphash.Seed
	// held maps the hash of the meaning of an id to its newest flow. rows maps it to the remaining
	// data of a flow that is no longer held. There is one map for each sender.
	held [2]map[uint64]*Flow
	rows [2]newestIDs
	// flows holds the pending requests, sorted by row. An ended flow leaves a gap, so ending is
	// cheap even if many are pending. The gaps are removed when they outnumber the flows.
	flows []*Flow
	open  int // flows without the gaps
	// pending is the number of requests without a response, except subscriptions. It includes
	// requests that are not held.
	pending       int
	subscriptions int // number of subscriptions among flows
	// unused holds ended flows that are no longer held. spare holds the unused flows that no match
	// refers to; see [Table.reuse].
	unused, spare []*Flow
	params        int   // bytes of the params that count toward the limit
	long          *Flow // ended request whose params are too long to be kept
	ended         []*Flow
	endedBytes    int
	// tokens maps progress tokens to flows, for each sender. taskTokens does the same for requests
	// that have become a task.
	tokens     [2]map[uint64]*Flow
	taskTokens [2]recent
	// tasks maps the id of a task to its request. rounds finds the request whose result requested
	// input, by the requestState or, without one, by the called name.
	tasks, rounds recent

	last      int32 // newest row
	abandoned int32 // row up to which no response can arrive any more

	name    string   // name in the newest request
	methods []string // names of methods, by the number in a row
	numbers map[string]uint16
	newest  uint16 // the number that was used last
}

// New returns a table of a connection without messages.
func New(limits Limits) *Table {
	return &Table{
		limits:     limits,
		seed:       maphash.MakeSeed(),
		held:       [2]map[uint64]*Flow{{}, {}},
		rows:       [2]newestIDs{{max: maxRecent}, {max: maxRecent}},
		tokens:     [2]map[uint64]*Flow{{}, {}},
		taskTokens: [2]recent{{max: maxTasks}, {max: maxTasks}},
		tasks:      recent{max: maxTasks},
		rounds:     recent{max: maxTasks},
		last:       None, abandoned: None,
		methods: []string{""}, numbers: map[string]uint16{"": 0},
	}
}

// Message handles the next message and returns its match. The elements of a batch are separate messages with
// the row of the batch; the batch itself is not a message.
func (t *Table) Message(m *Message) Match {
	t.last = m.Row
	t.trim()
	match := Match{Message: m}
	switch m.Envelope.Kind {
	case jsonrpc.Request:
		t.request(&match)
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		t.response(&match)
	case jsonrpc.Notification:
		t.notification(&match)
	case jsonrpc.Invalid:
		// A malformed response still belongs to its request, if it names one.
		if id := m.Envelope.ID.Of(m.Bytes); id.Present() && !m.Envelope.Method.Present() {
			if f := t.Find(1-m.Dir, id); f != nil && !f.HasResponse() {
				t.settle(&match, f)
			}
		}
	}
	return match
}

func (t *Table) request(m *Match) {
	id := m.Envelope.ID.Of(m.Bytes)
	key := t.key(id)
	if before := t.held[m.Dir][key]; before == nil {
		_, m.Reused = t.rows[m.Dir].get(key)
	} else if m.Reused = true; before.Waits() && !before.released {
		m.Superseded = before
		t.end(before, Abandoned, m.Time)
		t.release(before)
	}
	params := m.Envelope.Params.Of(m.Bytes)
	f := t.newFlow()
	*f = Flow{
		Ref: transport.RefTo(m.Row, m.Element), Dir: m.Dir, State: Pending, ID: jsonrpc.IDOf(phrase.Clip(id.Shown(), maxText)), Method: t.methodName(m.Message),
		Revision: m.Revision, Exchange: m.Exchange, Start: m.Time, key: key,
	}
	token := t.setSubject(f, m.Message, params)
	if token != nil {
		f.token, f.hasToken = t.TokenKey(token), true
		if t.limits.Ended > 0 {
			f.Token = phrase.Clip(token, maxText)
		}
	}
	t.keepParams(f, params)
	t.add(f)
	m.belongs(f, Pending)
	m.Before = Unknown
	m.Parent = t.goesOn(m, params)
}

// goesOn returns the earlier request that a request continues: the call of a task, or a request
// whose result requested the input.
func (t *Table) goesOn(m *Match, params []byte) Ref {
	switch e := &m.Envelope; {
	case m.Dir != transport.Out:
	case t.tasks.any() && strings.HasPrefix(m.Method, "tasks/"):
		if ref, ok := t.tasks.get(t.hash([]byte(jsonrpc.Text(params, "taskId")))); ok {
			return ref
		}
	case t.rounds.any() && (e.MayHave("requestState") || e.MayHave("inputResponses")):
		state, _ := jsonrpc.Member(params, "requestState")
		if ref, ok := t.rounds.get(t.roundKey(m.Method, m.Flow.Name, state)); ok {
			return ref
		}
	}
	return Ref{}
}

// roundKey identifies a result with input requests.
func (t *Table) roundKey(method, name string, state []byte) uint64 {
	if state != nil {
		return t.hash(jsonrpc.TokenOf(state).Meaning())
	}
	return t.hash([]byte(method + "\x00" + name))
}

// asks records a result with input requests.
func (t *Table) asks(f *Flow, m *Match) {
	if e := &m.Envelope; e.Kind != jsonrpc.Response || !e.MayHave("inputRequests") && !e.MayHave("requestState") {
		return
	}
	result := m.Envelope.Result.Of(m.Bytes)
	state, has := jsonrpc.Member(result, "requestState")
	if _, ok := jsonrpc.Member(result, "inputRequests"); !ok && !has {
		return
	}
	m.AsksInput = true
	t.rounds.put(t.roundKey(f.Method, f.Name, state), f.Ref)
}

// belongs sets the request and the state of a match.
func (m *Match) belongs(f *Flow, state State) {
	m.Request, m.Method, m.Before, m.State = f.Ref, f.Method, f.State, state
	if !f.released {
		m.Flow = f
	}
}

// newFlow returns the memory for a flow.
func (t *Table) newFlow() *Flow {
	last := len(t.spare) - 1
	if last < 0 {
		return new(Flow)
	}
	f := t.spare[last]
	t.spare = t.spare[:last]
	return f
}

// reuse makes the memory of earlier matches and their flows reusable. The caller no longer uses
// them.
func (t *Table) reuse() {
	if len(t.unused) > 0 {
		t.spare, t.unused = append(t.spare, t.unused...), t.unused[:0]
	}
}

// setSubject sets the name of the tool, prompt or resource of a flow, and returns the progress token.
func (t *Table) setSubject(f *Flow, m *Message, params []byte) (token []byte) {
	if name, ok := m.Ahead.name(m.Bytes); !ok {
		f.Name, token = RequestParams(params)
	} else if f.Name = t.name; string(name) != t.name {
		f.Name = string(name)
	}
	t.name = f.Name
	return token
}

// RequestParams returns the subject of a request, which is the name of the tool or prompt or the URI of the
// resource, and its raw progress token, or nil.
func RequestParams(params []byte) (subject string, token []byte) {
	name, meta := requestParams(params)
	subject, _ = jsonrpc.Unquote(name)
	token, _ = jsonrpc.Member(meta, "progressToken")
	return phrase.Clip(subject, maxText), token
}

// requestParams returns the raw name or URI, and the metadata.
func requestParams(params []byte) (name, meta []byte) {
	var uri []byte
	for member, value := range jsonrpc.Members(params) { // one pass, because params can be long
		switch string(member) {
		case "name":
			name = value
		case "uri":
			uri = value
		case "_meta":
			meta = value
		}
	}
	if name == nil {
		name = uri
	}
	return name, meta
}

func (t *Table) response(m *Match) {
	f := t.Find(1-m.Dir, m.Envelope.ID.Of(m.Bytes))
	// A request with the id null waits for a response with the id null. MCP forbids both (basic,
	// "Requests"). But a peer that sends such a request gets such a response.
	if id := m.Envelope.IDType; id == jsonrpc.IDAbsent || id == jsonrpc.IDNull && (f == nil || !f.Waits()) {
		if m.Envelope.Kind == jsonrpc.ErrorResponse {
			t.withoutID(m)
		}
		m.State = WithoutID
		return
	}
	switch {
	case f == nil:
		m.State = Unmatched
		return
	case f.HasResponse():
		m.belongs(f, Duplicate)
		return
	}
	if m.Envelope.Kind == jsonrpc.Response && f.Method == "tools/call" && saysMore(&m.Envelope) {
		var task string
		if task, m.ToolError = toolResult(m.Envelope.Result.Of(m.Bytes)); task != "" {
			t.tasks.put(t.hash([]byte(task)), f.Ref)
			f.task = phrase.Clip(task, maxText)
		}
	}
	t.asks(f, m)
	t.settle(m, f)
}

// carriedBy finds the only pending request whose HTTP exchange carried a response without an id. It returns nil
// unless there is exactly one.
func (t *Table) carriedBy(m *Message) (one *Flow) {
	if m.Exchange == 0 || m.Dir != transport.In {
		return nil
	}
	for _, f := range t.flows {
		if !f.Waits() || f.Dir != transport.Out || f.Exchange != m.Exchange {
			continue
		}
		if one != nil {
			return nil
		}
		one = f
	}
	return one
}

// withoutID ends the requests that an error without an id certainly belongs to: the request of its
// HTTP exchange, or all requests of a batch, if nothing else is pending (JSON-RPC 2.0, 6: an
// invalid batch gets one error).
func (t *Table) withoutID(m *Match) {
	if f := t.carriedBy(m.Message); f != nil {
		t.settle(m, f)
		return
	}
	var batch []*Flow
	for _, f := range t.flows {
		switch {
		case !f.Waits() || f.Dir == m.Dir || f.IsSubscription() || f.Exchange != m.Exchange:
		case len(batch) > 0 && batch[0].Row() != f.Row():
			return
		default:
			batch = append(batch, f)
		}
	}
	if len(batch) < 2 { // an error outside of a batch looks the same
		return
	}
	t.settle(m, batch[0])
	m.Rejected = batch[1:]
	for _, f := range m.Rejected {
		f.IsError = true
		t.change(f, Answered, m.Time)
	}
}

// saysMore reports whether [toolResult] may find something.
func saysMore(e *jsonrpc.Envelope) bool {
	return e.MayBeTrue() && e.MayHave("isError") || e.MayHave("task") || e.MayHave("taskId")
}

// toolResult returns the id of the task that the call has become, or "". The id is nested in
// 2025-11-25 and flat in the later extension. isError reports a tool error.
func toolResult(result []byte) (task string, isError bool) {
	var nested, flat []byte
	for member, value := range jsonrpc.Members(result) { // one pass, because results can be long
		switch string(member) {
		case "task":
			nested = value
		case "taskId":
			flat = value
		case "isError":
			isError = string(value) == "true"
		}
	}
	if id, ok := jsonrpc.Member(nested, "taskId"); ok {
		flat = id
	}
	task, _ = jsonrpc.Unquote(flat)
	return task, isError
}
