package session

import (
	"bytes"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/requests"
	"mcptea/session/store"
)

// message is a message of a recording, with what it belongs to. Its bytes are valid until
// the next one.
type message struct {
	*store.Match
}

func (m *message) is(method string) bool { return m.Envelope.HasMethod(m.Bytes, method) }
func (m *message) result() []byte        { return m.Envelope.Result.Of(m.Bytes) }
func (m *message) params() []byte        { return m.Envelope.Params.Of(m.Bytes) }
func (m *message) id() jsonrpc.ID        { return jsonrpc.ID(m.Envelope.ID.Of(m.Bytes)) }

// message updates the session for a message.
func (r *recorded) message(m *message) {
	out := m.Dir == transport.Out
	switch {
	case out && m.Kind().IsResponse():
		r.s.inbox.RecordedResponse(m.id(), "", m.result(), m.Time)
	case out && m.Kind() == jsonrpc.Request:
		r.requested(m)
	case out:
	case m.Kind() == jsonrpc.Response:
		r.responded(m)
	case m.Kind() == jsonrpc.Notification:
		r.s.handleNotification(m.Bytes, m.Envelope, m.Row, m.Time)
	case m.Kind() == jsonrpc.Request && (m.is(client.MethodElicitation) || m.is(client.MethodSampling)):
		r.serverRequest(requests.Request{
			ID: m.id(), Method: string(m.Envelope.Method.Of(m.Bytes)), Params: bytes.Clone(m.params()),
			Row: m.Row, Arrived: m.Time,
		})
	}
}

// serverRequest adds a request of the server to the inbox, with the task that it
// belongs to.
func (r *recorded) serverRequest(q requests.Request) {
	s := r.s
	if q.Task == "" {
		related, _ := jsonrpc.Member(q.Params, "_meta", revision.MetaRelatedTask)
		q.Task = jsonrpc.Text(related, "taskId")
	}
	if origin, ok := s.tasks.Origin(q.Task); ok {
		q.Call, q.About = origin.Call, origin.Tool
	}
	s.mu.Lock()
	q.Conn = uint16(s.state.Attempt)
	s.mu.Unlock()
	s.inbox.AddRecorded(q)
}

// requested handles a request of the client: the input that it sends, and what it
// subscribes to.
func (r *recorded) requested(m *message) {
	s := r.s
	switch {
	case m.is("resources/subscribe"), m.is("resources/unsubscribe"):
		uri := jsonrpc.Text(m.params(), "uri")
		if uri == "" || len(uri) > maxURI {
			return
		}
		s.mu.Lock()
		s.followed = slices.DeleteFunc(s.followed, func(u string) bool { return u == uri })
		if m.is("resources/subscribe") {
			s.followed = append(s.followed, uri)
		}
		s.mu.Unlock()
	case s.isStateless():
		responses, ok := jsonrpc.Member(m.params(), "inputResponses")
		if !ok {
			return
		}
		for key, result := range jsonrpc.Members(responses) {
			s.inbox.RecordedResponse("", string(key), result, m.Time)
		}
	}
}

// responded handles a result of the server.
func (r *recorded) responded(m *message) {
	s := r.s
	switch m.Method {
	case "initialize", "server/discover":
		h, _ := client.HandshakeOf(m.Method, r.requestParams(m), bytes.Clone(m.result()))
		s.mu.Lock()
		s.state.Handshake = h
		s.mu.Unlock()
	case "tools/call":
		r.called(m)
	case "tasks/get", "tasks/cancel":
		r.taskStatus(m, requests.ByPoll)
	case "tasks/list":
		list, _ := jsonrpc.Member(m.result(), "tasks")
		for raw := range jsonrpc.Elements(list) {
			if now, err := client.ReadTask(bytes.Clone(raw)); err == nil {
				s.tasks.Reported(now, requests.ByList, requests.Frame{Row: m.Row, Time: m.Time})
			}
		}
	case "tasks/result":
		s.tasks.Result(jsonrpc.Text(r.requestParams(m), "taskId"), m.frame())
	case "prompts/get", "resources/read":
		r.inputRequested(m, "")
	default:
		if kind, ok := revision.ListOf(m.Method); ok {
			r.listed(m, kind)
		}
	}
}

func (m *message) frame() requests.Frame {
	return requests.Frame{Bytes: bytes.Clone(m.Bytes), Row: m.Row, Time: m.Time}
}

// requestParams reads the params of the request that a response belongs to. The
// caller owns them.
func (r *recorded) requestParams(m *message) []byte {
	if m.Request.Row == store.None {
		return nil
	}
	body, err := r.s.store.Body(m.Request.Row)
	if err != nil {
		return nil
	}
	envelope := jsonrpc.Scan(body)
	if envelope.Kind == jsonrpc.Batch {
		var elements [][]byte
		for element := range jsonrpc.Elements(body) {
			elements = append(elements, element)
		}
		body = elements[m.Request.Element]
		envelope = jsonrpc.Scan(body)
	}
	return envelope.Params.Of(body)
}

// called handles the result of a call: it may be a task, or request input.
func (r *recorded) called(m *message) {
	s := r.s
	s.mu.Lock()
	rev := s.state.Handshake.Revision
	s.mu.Unlock()
	raw := revision.CreatedTask(rev, m.result())
	if raw == nil {
		r.inputRequested(m, "")
		return
	}
	f := m.frame()
	now, err := client.ReadTask(bytes.Clone(raw))
	if err != nil {
		return // the traffic shows it
	}
	params := r.requestParams(m)
	s.tasks.Created(requests.Call{ID: m.id(), Last: m.id(), Name: jsonrpc.Text(params, "name"), Params: params}, m.Request.Row, now, f)
}

// taskStatus handles a result that has the status of a task.
func (r *recorded) taskStatus(m *message, by requests.Source) {
	f := m.frame()
	raw := jsonrpc.Scan(f.Bytes).Result.Of(f.Bytes)
	if nested, ok := jsonrpc.Member(raw, "task"); ok && jsonrpc.Text(raw, "taskId") == "" {
		raw = nested
	}
	now, err := client.ReadTask(raw)
	if err != nil {
		return // the acknowledgement of a cancellation, or invalid
	}
	r.s.tasks.Reported(now, by, f)
	r.inputRequested(m, now.ID)
}

// inputRequested adds the input requests of a result to the inbox (2026-07-28,
// basic / patterns / multi round-trip requests).
func (r *recorded) inputRequested(m *message, task string) {
	s := r.s
	if !s.isStateless() {
		return
	}
	inputs, ok := jsonrpc.Member(m.result(), "inputRequests")
	if !ok || task == "" && jsonrpc.Text(m.result(), "resultType") != "input_required" {
		return
	}
	about := ""
	if task == "" {
		params := r.requestParams(m)
		if about = jsonrpc.Text(params, "name"); m.Method == "resources/read" {
			about = jsonrpc.Text(params, "uri")
		}
	}
	known := map[string]bool{} // a poll repeats what was requested before
	for _, q := range s.inbox.Requests() {
		if task != "" && q.Task == task {
			known[q.Key] = true
		}
	}
	for key, request := range jsonrpc.Members(inputs) {
		kind := jsonrpc.Text(request, "method")
		if known[string(key)] || kind != client.MethodElicitation && kind != client.MethodSampling {
			continue
		}
		params, _ := jsonrpc.Member(request, "params")
		q := requests.Request{
			ID: jsonrpc.StringID(string(m.id()) + " " + string(key)), Method: kind, Params: bytes.Clone(params), Key: string(key),
			Task: task, About: about, Row: m.Request.Row, Arrived: m.Time,
		}
		if task == "" {
			q.Of = m.id()
		} else {
			q.Row = m.Row
		}
		r.serverRequest(q)
	}
}

// maxRecordedItems bounds the items of a list.
const maxRecordedItems = 1_000_000

// listed takes a page of a list into the state.
func (r *recorded) listed(m *message, kind client.ListKind) {
	s := r.s
	result := bytes.Clone(m.result())
	array, ok := jsonrpc.Member(result, kind.Member)
	if !ok || array[0] != '[' {
		return
	}
	items := r.pages[kind.Name]
	if _, continues := jsonrpc.Member(r.requestParams(m), "cursor"); !continues {
		items = nil
	}
	for raw := range jsonrpc.Elements(array) {
		if len(items) < maxRecordedItems {
			items = append(items, NewItem(kind.Name, raw))
		}
	}
	cursor, more := jsonrpc.Member(result, "nextCursor")
	more = more && string(cursor) != "null"
	delete(r.pages, kind.Name)
	if more {
		r.pages[kind.Name] = items
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state.Lists[kind.Name]
	now := List{
		Items: slices.Clip(items), Offered: true, Loading: more, Loaded: m.Time, Changes: before.Changes,
		Fresh: client.FreshnessOf(result), conn: s.state.Attempt,
	}
	if !before.Loaded.IsZero() && !before.Loading && before.conn == now.conn {
		now.Changes++
	}
	s.setList(kind, now)
}
