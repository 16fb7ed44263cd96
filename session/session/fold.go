package session

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/step"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/shell"
	"mcptea/offer"
	"mcptea/offer/diff"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// concerns reports whether an event may change the state of the session. Most frames do not. It is called with
// the store locked.
func (r *recorded) concerns(e *record.Event, matches []store.Match) bool {
	if !e.Time.IsZero() {
		r.newest.Store(e.Time.UnixNano())
	}
	if e.Kind != record.KindFrame || e.Beside {
		return !e.Beside
	}
	return !e.Frame.NonMessageEvent() && slices.ContainsFunc(matches, func(m store.Match) bool { return (&message{&m}).concerns() })
}

// event updates the session for an event of its recording. It is called on the goroutine
// that reads. What only the server sends is updated by the functions of a connection.
func (r *recorded) event(e *record.Event, _ int32, _ store.Row, matches []store.Match) {
	s := r.s
	if e.Beside {
		return // only the connection of the session changes the state
	}
	switch e.Kind {
	case record.KindFrame:
		for i := range matches {
			if m := &matches[i]; m.IsMessage() {
				r.message(&message{m})
			}
		}
	case record.KindChange:
		r.changed(e.Change, e.Time)
	case record.KindConnection:
		r.connection(e.Connection, e.Time)
	case record.KindProcess:
		s.process(e.Process)
		if e.Process.Argv != nil {
			line, err := shell.Bash.Join(shell.Literals(e.Process.Argv...))
			s.mu.Lock()
			s.cfg.Target.Argv = e.Process.Argv
			if err == nil {
				r.now.Target = line
			}
			s.mu.Unlock()
		}
	case record.KindHTTP:
		s.exchanged(e.Exchange)
	case record.KindStep:
		r.step(&s.state.Steps, e)
	case record.KindAuthorization:
		r.step(&s.state.Authorization, e)
	case record.KindNote, record.KindDrift:
		s.note(e.Text)
	}
}

// connection updates the state for a change in the life of the connection.
func (r *recorded) connection(c *record.Connection, at time.Time) {
	s := r.s
	s.mu.Lock()
	switch st := &s.state; c.What {
	case record.ConnectionOpened:
		*st = State{Phase: Connecting, Attempt: int(c.Number), Started: at, Lists: st.Lists, Current: st.Current, Failures: st.Failures, Reloads: c.Reloads}
		s.updates.connected(c.Number)
		if c.Target != "" {
			r.now.Target, s.cfg.Target = c.Target, recordedTarget(c.Transport, c.Target)
		}
		s.transport = c.Transport
		clear(r.pages)
	case record.ConnectionReady:
		st.Phase, st.Took, s.transport = Ready, at.Sub(st.Started), c.Transport
		r.restarted(c)
	case record.ConnectionClosed:
		if st.Phase == Connecting {
			st.Phase, st.Took, st.Err = Failed, at.Sub(st.Started), connectError(st, c.Reason)
			st.failed(uint16(st.Attempt))
		} else if c.Reason != "" { // otherwise the user has ended it, and the phase stays
			st.Phase, st.Err = Ended, endedError(st, c.Reason)
		}
	}
	s.mu.Unlock()
	if c.What != record.ConnectionReady {
		s.withdrawAll(at)
	}
}

// restarted records a connection that has replaced an earlier one. The caller holds s.mu.
func (r *recorded) restarted(c *record.Connection) {
	s := r.s
	r.apart = r.apart || c.Restart == 0 && r.ready
	r.ready = true
	if r.apart {
		s.state.Current = 0
		return
	}
	s.state.Current = c.Number
	if c.Restart > 0 {
		s.restartCount = c.Restart
		from := max(0, len(s.restarts)-maxRestarts+1)
		s.restarts = append(slices.Clone(s.restarts[from:]), Restarted{
			Number: c.Restart, Conn: c.Number, Cause: Cause{Text: c.Cause, Built: c.Built}, At: s.state.Started, Took: s.state.Took,
		})
	}
	offered, _ := diff.Offer(s.state.Handshake.Result)
	offered.Revision = string(s.state.Handshake.Revision)
	s.changes.SetServer(offered, s.restartCount)
}

// connectError returns why connecting failed: the exit of the server, the last step that failed, or the reason.
func connectError(st *State, reason string) error {
	failed := client.Step{Detail: reason}
	for _, step := range st.Steps {
		if step.State == client.StepFailed {
			failed = step
		}
	}
	return &client.ConnectError{Step: failed.Name, Err: endedError(st, cmp.Or(failed.Detail, "the connection was closed before it was ready"))}
}

// endedError returns the error of a connection that has ended, as the transport returned it, if its server has exited by
// itself; else one with the recorded reason.
func endedError(st *State, reason string) error {
	if p := st.Process; !p.Exited.IsZero() && !p.Expected {
		return &stdio.ExitError{Code: p.ExitCode, Signal: p.Signal, After: p.Exited.Sub(p.Started)}
	}
	return errors.New(reason)
}

// maxSteps bounds the steps of one connection, and the steps of its authorization.
const maxSteps = 200

// step adds a step that has ended.
func (r *recorded) step(list *[]client.Step, e *record.Event) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if len(*list) >= maxSteps {
		if !r.s.state.IsAuthority() {
			return
		}
		*list = (*list)[1:] // an authority may run for long: the newest requests count
	}
	st := client.Step{
		Index: len(*list), Name: e.Step.Name, Detail: e.Step.Detail, State: client.StepDone,
		Start: e.Time.Add(-e.Step.Took), Took: e.Step.Took, Absent: e.Step.Absent, URL: e.Step.URL, Remarks: e.Step.Remarks,
	}
	switch e.Step.State {
	case client.StepFailed.String():
		st.State = client.StepFailed
	case step.Running.String(): // steps of a tap, whose user signs in elsewhere
		st.State, st.Start, st.Took = step.Running, e.Time, 0
	}
	if n := len(*list); n > 0 && (*list)[n-1].State == step.Running {
		st.Index = n - 1
		*list = (*list)[:n-1] // the step has ended, or has more text
	}
	*list = append(slices.Clip(*list), st)
}

// message is a message of a recording as its receiver got it. Its bytes are valid until the
// next one.
type message struct{ *store.Match }

func (m *message) is(method string) bool { return m.Envelope.HasMethod(m.Bytes, method) }
func (m *message) result() []byte        { return m.Envelope.Result.Of(m.Bytes) }
func (m *message) params() []byte        { return m.Envelope.Params.Of(m.Bytes) }
func (m *message) id() jsonrpc.ID        { return m.Envelope.ID.Of(m.Bytes).ID() }

func (m *message) frame() requests.Frame {
	return requests.Frame{Bytes: bytes.Clone(m.Bytes), Row: m.Row, Time: m.Time}
}

// changed updates the session with the frames that were forwarded instead of a frame of the server. The row
// holds the received frame.
func (r *recorded) changed(c *record.Change, at time.Time) {
	row, ok := r.s.store.Row(c.Row)
	if !ok || row.Dir != transport.In {
		return
	}
	for _, text := range c.Sent {
		one := flow.Message{Bytes: text, Envelope: jsonrpc.Scan(text), Dir: row.Dir, Row: c.Row, Time: at}
		m := store.Match{Message: &one, Request: transport.RefTo(row.Pair, 0), Method: r.s.store.Method(row.Method)}
		r.message(&message{&m})
	}
}

// concerns reports whether [recorded.message] uses the message.
func (m *message) concerns() bool {
	switch kind := m.Kind(); {
	case !m.IsMessage():
		return false
	case m.Dir == transport.Out && kind == jsonrpc.Request:
		return m.Envelope.MayHave("inputResponses") || m.is("resources/subscribe") || m.is("resources/unsubscribe")
	case kind == jsonrpc.Notification:
		return m.Dir == transport.In && !m.is("notifications/message")
	case kind == jsonrpc.Response && m.Dir == transport.In && m.Method == "tools/call":
		return m.Envelope.MayHave("task") || m.Envelope.MayHave("resultType") || m.Envelope.MayHave("inputRequests")
	}
	return true
}

// message updates the session for a message.
func (r *recorded) message(m *message) {
	s := r.s
	switch kind := m.Kind(); {
	case m.Dir == transport.Out && kind.IsResponse():
		s.inbox.RecordedResponse(m.id(), "", m.result(), m.Time)
	case m.Dir == transport.Out && kind == jsonrpc.Request:
		r.requested(m)
	case m.Dir == transport.Out:
	case kind == jsonrpc.Response:
		r.responded(m)
	case kind == jsonrpc.Notification:
		s.handleNotification(m.Bytes, &m.Envelope, m.Row, m.Time)
	case kind == jsonrpc.Request && (m.is(client.MethodElicitation) || m.is(client.MethodSampling)):
		related, _ := jsonrpc.Member(m.params(), "_meta", revision.MetaRelatedTask)
		s.inbox.AddRecorded(s.belonging(requests.Request{
			ID: m.id(), Method: m.Envelope.MethodName(m.Bytes), Params: bytes.Clone(m.params()),
			Task: jsonrpc.Text(related, "taskId"), Row: m.Row, Arrived: m.Time,
		}))
	}
}

// requested handles a request of the client: input that it sends, and subscriptions.
func (r *recorded) requested(m *message) {
	s := r.s
	switch on := m.is("resources/subscribe"); {
	case on || m.is("resources/unsubscribe"):
		if uri := jsonrpc.Text(m.params(), "uri"); uri != "" && len(uri) <= maxURI {
			s.mu.Lock()
			s.follow(uri, on)
			s.mu.Unlock()
		}
	case s.isStateless():
		responses, _ := jsonrpc.Member(m.params(), "inputResponses")
		for key, result := range jsonrpc.Members(responses) {
			s.inbox.RecordedResponse(jsonrpc.ID{}, string(key), result, m.Time)
		}
	}
}

// responded handles a result of the server.
func (r *recorded) responded(m *message) {
	s := r.s
	switch m.Method {
	case "initialize", "server/discover":
		h, _ := client.HandshakeOf(m.Method, r.requestParams(m.Request), bytes.Clone(m.result()))
		r.handshaken = m.Time
		s.mu.Lock()
		s.state.Handshake = h
		s.offers(h)
		s.mu.Unlock()
	case "tools/call":
		s.mu.Lock()
		rev := s.state.Handshake.Revision
		s.mu.Unlock()
		raw := revision.CreatedTask(rev, m.result())
		if raw == nil {
			r.inputRequested(m, "", "name")
		} else if now, err := client.ReadTask(bytes.Clone(raw)); err == nil { // if it cannot be read as a task, only Traffic shows it
			params := r.requestParams(m.Request)
			call := requests.Call{ID: m.id(), Last: m.id(), Name: jsonrpc.Text(params, "name"), Params: params}
			s.tasks.Created(call, m.Request.Row(), now, m.frame())
		}
	case "prompts/get":
		r.inputRequested(m, "", "name")
	case "resources/read":
		r.inputRequested(m, "", "uri")
	case "tasks/get", "tasks/cancel":
		f := m.frame()
		raw := m.Envelope.Result.Of(f.Bytes)
		if nested, ok := jsonrpc.Member(raw, "task"); ok && jsonrpc.Text(raw, "taskId") == "" {
			raw = nested
		}
		if now, err := client.ReadTask(raw); err == nil { // otherwise it acknowledges a cancellation, or is invalid
			s.tasks.Reported(now, requests.ByPoll, f)
			r.inputRequested(m, now.ID, "")
		}
	case "tasks/list":
		list, _ := jsonrpc.Member(m.result(), "tasks")
		for raw := range jsonrpc.Elements(list) {
			if now, err := client.ReadTask(bytes.Clone(raw)); err == nil {
				s.tasks.Reported(now, requests.ByList, requests.Frame{Row: m.Row, Time: m.Time})
			}
		}
	case "tasks/result":
		s.tasks.Result(jsonrpc.Text(r.requestParams(m.Request), "taskId"), m.frame())
	default:
		if kind, ok := revision.ListOf(m.Method); ok {
			r.listed(m, kind)
		}
	}
}

// requestParams reads the params of a request. The caller owns them.
func (r *recorded) requestParams(request flow.Ref) []byte {
	body, err := r.s.store.Body(request.Row())
	if err != nil {
		return nil
	}
	envelope := jsonrpc.Scan(body)
	if envelope.Kind == jsonrpc.Batch {
		body = slices.Collect(jsonrpc.Elements(body))[request.Element()]
		envelope = jsonrpc.Scan(body)
	}
	return envelope.Params.Of(body)
}

// inputRequested adds the input requests of a result to the inbox. They belong to a task, or to a request whose
// params have the given member naming its subject (2026-07-28, basic / patterns / multi round-trip requests).
func (r *recorded) inputRequested(m *message, task, member string) {
	s := r.s
	inputs, ok := jsonrpc.Member(m.result(), "inputRequests")
	if !ok || !s.isStateless() || task == "" && jsonrpc.Text(m.result(), "resultType") != "input_required" {
		return
	}
	q := requests.Request{Task: task, Of: m.id(), Row: m.Request.Row(), Arrived: m.Time}
	known := map[string]bool{} // a poll repeats what was requested before
	if task == "" {
		q.About = jsonrpc.Text(r.requestParams(m.Request), member)
	} else {
		q.Of, q.Row = jsonrpc.ID{}, m.Row
		for _, q := range s.inbox.Requests() {
			known[q.Key] = known[q.Key] || q.Task == task
		}
	}
	for key, request := range jsonrpc.Members(inputs) {
		params, _ := jsonrpc.Member(request, "params")
		q.ID, q.Key, q.Method, q.Params = jsonrpc.StringID(m.id().String()+" "+string(key)), string(key), jsonrpc.Text(request, "method"), bytes.Clone(params)
		if !known[q.Key] && (q.Method == client.MethodElicitation || q.Method == client.MethodSampling) {
			s.inbox.AddRecorded(s.belonging(q))
		}
	}
}

// maxRecordedItems bounds the items of a list.
const maxRecordedItems = 1_000_000

// A page is the newest page of a list, with the items of earlier pages.
type page struct {
	row    int32
	items  []offer.Item
	before int // items that are not of this page
}

// listed adds a page of a list to the state.
func (r *recorded) listed(m *message, kind client.ListKind) {
	s := r.s
	result := bytes.Clone(m.result())
	array, ok := jsonrpc.Member(result, kind.Member)
	if !ok || array[0] != '[' {
		return
	}
	p, known := r.pages[kind.Name]
	again := known && p.row == m.Row // the page as changed by a breakpoint
	if again {
		p.items = p.items[:p.before:p.before]
	}
	if _, continues := jsonrpc.Member(r.requestParams(m.Request), "cursor"); !continues {
		p.items = nil
	}
	items := p.items
	for raw := range jsonrpc.Elements(array) {
		if len(items) < maxRecordedItems {
			items = append(items, offer.NewItem(kind.Name, raw))
		}
	}
	cursor, more := jsonrpc.Member(result, "nextCursor")
	more = more && string(cursor) != "null"
	r.pages[kind.Name] = page{m.Row, items, len(p.items)}
	if sum := jsonrpc.Sum(array); !more && !r.apart && r.compared[kind.Name] != sum {
		r.compared[kind.Name] = sum
		defer s.listFetched(kind.Name, slices.Clip(items))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state.Lists[kind.Name]
	now := offer.List{
		Items: slices.Clip(items), Offered: true, Loading: more, Loaded: m.Time, Changes: before.Changes,
		Fresh: client.FreshnessOf(result), Attempt: s.state.Attempt,
	}
	if !before.Loaded.IsZero() && !before.Loading && before.Attempt == now.Attempt && !again {
		now.Changes++
	}
	s.setList(kind.Name, now)
}
