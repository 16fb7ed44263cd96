package flow

import (
	"hash/maphash"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

const (
	// maxPending bounds the requests that are held without a response. Of more
	// than these, the older half is only known by its rows.
	maxPending = 50_000
	// maxText is how many bytes of a text of the peer are kept for display.
	maxText = 256
)

// Limits say what a [Table] holds beside the pending requests. The zero value
// holds no params, and of requests that ended only rows.
type Limits struct {
	// MaxParams is how many bytes the params of the server's pending requests may
	// take together. Of more than these, and after the end, only short ones are
	// kept, of up to ShortParams bytes; they may take as much again. Those of the
	// client's requests are kept without a limit while they are pending. 0 keeps
	// none.
	MaxParams, ShortParams int
	// Ended is how many of the flows that ended are held, and EndedBytes what
	// their texts may take together.
	Ended, EndedBytes int
	// Released is called for each flow that is no longer held; may be nil.
	Released func(*Flow)
}

// Table correlates the messages of one connection. It is not safe for concurrent
// use.
type Table struct {
	limits Limits
	seed   maphash.Seed
	// held finds the newest flow of an id by the hash of the raw id, and rows what
	// is left of one that is not held, one table for each sender.
	held [2]map[uint64]*Flow
	rows [2]recent[rest]
	// flows are the pending ones, sorted by row. One that ended stays as a gap
	// until the gaps outnumber the rest, so that ending is cheap however many wait.
	flows []*Flow
	open  int // flows without the gaps
	// pending counts the requests without a response, also those that are not held,
	// without subscriptions.
	pending       int
	subscriptions int   // among flows
	params        int   // bytes of the params that count for the limit
	long          *Flow // ended, with params that are not kept
	ended         []*Flow
	endedBytes    int
	// tokens finds the flow of a progress token, for each sender, and taskTokens
	// that of one that has become a task.
	tokens     [2]map[uint64]*Flow
	taskTokens [2]recent[Ref]
	// tasks finds the request that has become a task, by the task's id.
	tasks recent[Ref]

	last      int32 // the newest row
	abandoned int32 // the row up to which no response can come any more

	methods []string // the names that rows have by their number
	numbers map[string]uint16
}

// New returns a table of a connection without messages.
func New(limits Limits) *Table {
	return &Table{
		limits:     limits,
		seed:       maphash.MakeSeed(),
		held:       [2]map[uint64]*Flow{{}, {}},
		rows:       [2]recent[rest]{{max: maxRecent}, {max: maxRecent}},
		tokens:     [2]map[uint64]*Flow{{}, {}},
		taskTokens: [2]recent[Ref]{{max: maxTasks}, {max: maxTasks}},
		tasks:      recent[Ref]{max: maxTasks},
		last:       None, abandoned: None,
		methods: []string{""}, numbers: map[string]uint16{"": 0},
	}
}

// Message is one message of the connection: a frame, or an element of a batch,
// with the place of the frame in the record.
type Message struct {
	Bytes    []byte // not kept
	Envelope jsonrpc.Envelope
	Dir      transport.Direction
	Row      int32
	Element  uint16 // its place in a batch, from 0
	Time     time.Time
	Exchange uint32
	Revision revision.Revision // as far as the caller knows it
}

// Match is what a message belongs to.
type Match struct {
	// Ref is the request that the message belongs to, or is; [NoRef] without one.
	Ref
	// Method is that of the request; empty without one, and if it is not remembered.
	Method string
	// Flow is that request; nil when only its row is known.
	Flow *Flow
	// Before is the state of the request before the message.
	Before State
	// State is that of a response: Answered, Late, Duplicate, Unmatched or
	// WithoutID. For other messages it is the state of the request after it.
	State State
	// Ended says that the message ended the wait for a response.
	Ended bool
	// TimedOut says that the message is a cancellation because of a timeout.
	TimedOut bool
	// Reused says that a request has an id that its sender used before. Superseded
	// is the earlier request if it was pending: a response now goes to the newer
	// one.
	Reused     bool
	Superseded *Flow
	// IsToolError says that a response is the result of a tool with isError.
	IsToolError bool
	// Acknowledged says that the message acknowledges the subscription Flow.
	Acknowledged bool
}

// Message takes the next message into account and returns what it belongs to. The
// elements of a batch are messages of their own, with the row of the batch; the
// batch itself is not one.
func (t *Table) Message(m *Message) Match {
	t.last = m.Row
	t.trim()
	switch m.Envelope.Kind {
	case jsonrpc.Request:
		return t.request(m)
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		return t.response(m)
	case jsonrpc.Notification:
		return t.notification(m)
	case jsonrpc.Invalid:
		// A malformed response still belongs to its request, if it names one.
		if id := m.Envelope.ID.Of(m.Bytes); len(id) > 0 && !m.Envelope.Method.Present() {
			if r := t.find(1-m.Dir, t.key(id)); r.ok() && !r.state.hasResponse() {
				return t.settle(m, r)
			}
		}
	}
	return Match{Ref: NoRef}
}

func (t *Table) request(m *Message) Match {
	id := m.Envelope.ID.Of(m.Bytes)
	match := Match{Ref: Ref{m.Row, m.Element}, State: Pending}
	key := t.key(id)
	if before := t.find(m.Dir, key); before.ok() {
		match.Reused = true
		if f := before.flow; f != nil {
			if f.Waits() {
				match.Superseded = f
				t.end(f, Abandoned, m.Time)
				t.release(f)
			}
		}
	}
	params := m.Envelope.Params.Of(m.Bytes)
	subject, token := RequestParams(params)
	f := &Flow{
		Ref: match.Ref, Dir: m.Dir, State: Pending, ID: cut(id), Method: t.methodName(m), Name: subject,
		Revision: m.Revision, Exchange: m.Exchange, Start: m.Time, key: key,
	}
	if token != nil {
		f.token, f.hasToken = t.TokenKey(token), true
		if t.limits.Ended > 0 {
			f.Token = cut(token)
		}
	}
	t.keepParams(f, params)
	t.add(f)
	match.Flow, match.Method = f, f.Method
	return match
}

// RequestParams returns what a request is about, the name of the tool or prompt or
// the URI of the resource, and its raw progress token; nil without one.
func RequestParams(params []byte) (subject string, token []byte) {
	var name, uri, meta []byte
	for member, value := range jsonrpc.Members(params) { // once, for params can be long
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
	subject, _ = jsonrpc.Unquote(name)
	token, _ = jsonrpc.Member(meta, "progressToken")
	return cut(subject), token
}

func (t *Table) response(m *Message) Match {
	if id := m.Envelope.IDType; id == jsonrpc.IDAbsent || id == jsonrpc.IDNull {
		match := Match{Ref: NoRef}
		if f := t.carriedBy(m); f != nil && m.Envelope.Kind == jsonrpc.ErrorResponse {
			match = t.settle(m, found{flow: f, rest: rest{Ref: f.Ref, state: f.State}})
		}
		match.State = WithoutID
		return match
	}
	r := t.find(1-m.Dir, t.key(m.Envelope.ID.Of(m.Bytes)))
	switch {
	case !r.ok():
		return Match{Ref: NoRef, State: Unmatched}
	case r.state.hasResponse():
		return Match{Ref: r.Ref, Method: t.methodOf(r), Flow: r.flow, Before: r.state, State: Duplicate}
	}
	if m.Envelope.Kind == jsonrpc.ErrorResponse || t.methodOf(r) != "tools/call" {
		return t.settle(m, r)
	}
	task, isError := toolResult(m.Envelope.Result.Of(m.Bytes))
	if task != "" {
		t.tasks.put(t.key([]byte(task)), r.Ref)
		if r.flow != nil {
			r.flow.task = cut(task)
		}
	}
	match := t.settle(m, r)
	match.IsToolError = isError
	return match
}

// carriedBy finds the one pending request whose HTTP exchange brought a response
// without id; nil unless there is exactly one.
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

// toolResult returns the id of the task that a result says the call has become,
// nested in 2025-11-25 and flat in the extension after it; empty for other
// results. isError says that the tool has failed.
func toolResult(result []byte) (task string, isError bool) {
	var nested, flat []byte
	for member, value := range jsonrpc.Members(result) { // once, for results can be long
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

// settle gives a request its first response.
func (t *Table) settle(m *Message, r found) Match {
	match := Match{Ref: r.Ref, Method: t.methodOf(r), Flow: r.flow, Before: r.state, State: Answered, Ended: r.state == Pending}
	if r.state.IsLost() {
		match.State = Late
	}
	if r.flow != nil {
		r.flow.IsError = m.Envelope.Kind == jsonrpc.ErrorResponse
	}
	t.change(1-m.Dir, r, match.State, m.Time)
	return match
}

// End ends the wait for a response to a request where no message does: it was
// cancelled by the end of its HTTP exchange, or no response can come. The state
// is Cancelled or Abandoned.
func (t *Table) End(dir transport.Direction, id []byte, state State, at time.Time) Match {
	r := t.find(dir, t.key(id))
	match := Match{Ref: r.Ref, Method: t.methodOf(r), Flow: r.flow, Before: r.state, State: r.state}
	if r.state == Pending {
		match.State, match.Ended = state, true
		t.change(dir, r, state, at)
	}
	return match
}

// EndFlow is End of a flow that is held. It does nothing to one that is not, or that
// is not pending.
func (t *Table) EndFlow(f *Flow, state State, at time.Time) {
	if f.Waits() && !f.released {
		t.trim()
		t.end(f, state, at)
	}
}

// change gives a request the state in which it is no longer pending.
func (t *Table) change(dir transport.Direction, r found, state State, at time.Time) {
	if r.flow != nil {
		t.end(r.flow, state, at)
		return
	}
	if r.state == Pending && !IsSubscription(t.methodOf(r)) {
		t.pending--
	}
	r.state = state
	t.rows[dir].put(r.key, r.rest)
}

// Abandon ends all pending requests, since the connection has ended, and calls
// visit for each that is held.
func (t *Table) Abandon(at time.Time, visit func(*Flow)) {
	flows := t.flows
	t.flows, t.abandoned = nil, t.last
	for _, f := range flows {
		if f.Waits() {
			visit(f)
			t.end(f, Abandoned, at)
		}
	}
	t.open, t.pending, t.subscriptions = 0, 0, 0
}

// cut returns a text that is short enough to be kept.
func cut[T string | []byte](text T) string {
	if len(text) <= maxText {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:maxText]), "") + "…"
}
