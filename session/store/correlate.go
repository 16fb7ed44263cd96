package store

import (
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// correlate finds out how a new frame belongs to those before it.
func (s *Store) correlate(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	switch e.Kind {
	case jsonrpc.Request:
		s.requested(i, frame, e, dir)
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		s.answered(i, frame, e, dir)
	case jsonrpc.Notification:
		s.notified(i, frame, e, dir)
	case jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			inner := jsonrpc.Scan(element)
			if inner.Kind != jsonrpc.Batch {
				s.correlate(i, element, inner, dir)
			}
		}
	case jsonrpc.Invalid:
		// A malformed response still belongs to its request, if it names one.
		if id := e.ID.Of(frame); len(id) > 0 && !e.Method.Present() {
			key := s.pairs.key(id)
			if row, ok := s.pairs.rowOf(1-dir, key); ok && s.rows.at(row).Pair == None {
				s.settle(key, row, i, 1-dir)
			}
		}
	}
}

func (s *Store) requested(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	row := s.rows.row(i)
	key := s.pairs.key(e.ID.Of(frame))
	if _, used := s.pairs.rowOf(dir, key); used {
		row.Flags |= DuplicateID
		if before := s.pairs.pending[dir][key]; before != nil {
			s.complete(before) // a response now goes to the newer one
		}
	}
	params := e.Params.Of(frame)
	f := &Flight{
		Row: i, Dir: dir, ID: cut(e.ID.Of(frame)), Method: cut(e.MethodName(frame)),
		Name: cut(subject(params)), Start: time.Unix(0, row.Time), key: key,
	}
	if token, ok := jsonrpc.Member(params, "_meta", "progressToken"); ok {
		f.token, f.hasToken = s.pairs.key(token), true
	}
	f.standing = f.Method == "subscriptions/listen"
	s.pairs.add(f)
	row.Flags |= Pending
	if row.Kind == jsonrpc.Batch {
		s.pairs.inBatch[i]++
	}
}

// subject is what a request is about: the name of the tool or prompt, or the
// URI of the resource.
func subject(params []byte) string {
	for _, member := range [...]string{"name", "uri"} {
		if v, ok := jsonrpc.Member(params, member); ok {
			s, _ := jsonrpc.Unquote(v)
			return s
		}
	}
	return ""
}

func (s *Store) answered(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	row := s.rows.row(i)
	if e.IDType == jsonrpc.IDAbsent || e.IDType == jsonrpc.IDNull {
		row.Flags |= NoID
		if f := s.carried(row, dir); f != nil && e.Kind == jsonrpc.ErrorResponse {
			s.settle(f.key, f.Row, i, f.Dir)
		}
		return
	}
	key := s.pairs.key(e.ID.Of(frame))
	at, ok := s.pairs.rowOf(1-dir, key)
	if !ok {
		row.Flags |= UnknownID
		return
	}
	request := s.rows.at(at)
	if request.Flags&(Cancelled|Abandoned) != 0 {
		row.Flags |= Late
	}
	if request.Pair != None && request.Kind != jsonrpc.Batch {
		row.Flags |= DuplicateAnswer
		row.Pair, row.Method = at, request.Method
		return
	}
	if e.Kind == jsonrpc.Response && s.methods.list[request.Method] == "tools/call" {
		result := e.Result.Of(frame)
		if v, ok := jsonrpc.Member(result, "isError"); ok && string(v) == "true" {
			row.Flags |= ToolError
		}
		if id := createdTask(result); id != "" {
			if f := s.pairs.pending[1-dir][key]; f != nil {
				f.task = true
			}
			s.pairs.tasks.put(s.pairs.key([]byte(id)), at)
		}
	}
	s.settle(key, at, i, 1-dir)
}

// carried finds the one pending request whose HTTP exchange brought a response
// without id; nil unless there is exactly one.
func (s *Store) carried(row *Row, dir transport.Direction) (found *Flight) {
	if row.Exchange == 0 || dir != transport.In {
		return nil
	}
	for _, f := range s.pairs.flights {
		if f.completed || f.Dir != transport.Out || s.rows.at(f.Row).Exchange != row.Exchange {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	return found
}

// createdTask is the id of the task that a result says it has become, nested in
// 2025-11-25 and flat in the extension after it; empty for other results.
func createdTask(result []byte) string {
	for _, path := range [][]string{{"task", "taskId"}, {"taskId"}} {
		if v, ok := jsonrpc.Member(result, path[0], path[1:]...); ok {
			id, _ := jsonrpc.Unquote(v)
			return id
		}
	}
	return ""
}

// settle ties a request to its response and ends the wait.
func (s *Store) settle(key uint64, request, answer int32, dir transport.Direction) {
	method, alone := uint16(0), false
	s.rows.change(request, func(q *Row) {
		q.Pair, method = answer, q.Method
		alone = q.Flags&Pending != 0 && q.Kind != jsonrpc.Batch
	})
	a := s.rows.row(answer)
	a.Pair = request
	if a.Kind.IsResponse() {
		a.Method = method
	}
	if f := s.pairs.pending[dir][key]; f != nil && f.Row == request {
		s.complete(f)
	} else if alone { // it is known by its row only
		s.ended(request)
	}
}

// complete takes a request off those that wait.
func (s *Store) complete(f *Flight) {
	p := &s.pairs
	if f.completed {
		return
	}
	f.completed = true
	if f.standing {
		p.standing--
	}
	s.ended(f.Row)
	p.drop(f)
	if len(p.pending[0])+len(p.pending[1]) < len(p.flights)/2 {
		p.flights = slices.DeleteFunc(p.flights, func(f *Flight) bool { return f.completed })
	}
}

// ended counts one request less that waits.
func (s *Store) ended(row int32) {
	p := &s.pairs
	p.waiting--
	if p.inBatch[row]--; p.inBatch[row] <= 0 {
		delete(p.inBatch, row)
		s.rows.change(row, func(r *Row) { r.Flags &^= Pending })
	}
}

func (s *Store) notified(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	switch { // hot path: compares bytes, allocates nothing
	case e.HasMethod(frame, "notifications/progress"):
		s.progressed(i, e.Params.Of(frame), dir)
	case e.HasMethod(frame, "notifications/cancelled"):
		s.cancelled(i, e.Params.Of(frame), dir)
	case e.HasMethod(frame, "notifications/tasks"), e.HasMethod(frame, "notifications/tasks/status"):
		id, _ := jsonrpc.Member(e.Params.Of(frame), "taskId")
		task, _ := jsonrpc.Unquote(id)
		if row, ok := s.pairs.tasks.get(s.pairs.key([]byte(task))); ok && dir == transport.In {
			s.rows.row(i).Cause = row
			return
		}
		s.subscribed(i, e.Params.Of(frame), dir)
	default:
		s.subscribed(i, e.Params.Of(frame), dir)
	}
}

// subscribed finds the subscription that a notification belongs to.
func (s *Store) subscribed(i int32, params []byte, dir transport.Direction) {
	if s.pairs.standing == 0 {
		return
	}
	id, ok := jsonrpc.Member(params, "_meta", revision.MetaSubscriptionID)
	if !ok {
		return
	}
	f := s.pairs.pending[1-dir][s.pairs.key(id)]
	if f == nil || !f.standing {
		return
	}
	row := s.rows.row(i)
	row.Cause = f.Row
	if s.methods.list[row.Method] == "notifications/subscriptions/acknowledged" {
		s.rows.change(f.Row, func(r *Row) {
			if r.Flags&Pending != 0 {
				r.Flags |= Open
			}
		})
	}
}

func (s *Store) progressed(i int32, params []byte, dir transport.Direction) {
	token, ok := jsonrpc.Member(params, "progressToken")
	if !ok {
		return
	}
	key, row := s.pairs.key(token), s.rows.row(i)
	f := s.pairs.tokens[1-dir][key]
	if f == nil {
		if of, ok := s.pairs.taskTokens[1-dir].get(key); ok {
			row.Cause = of
		}
		return
	}
	row.Cause = f.Row
	f.Reports++
	f.LastReport = time.Unix(0, row.Time)
	f.Progress, _ = number(params, "progress")
	f.Total, f.HasTotal = number(params, "total")
	m, _ := jsonrpc.Member(params, "message")
	text, _ := jsonrpc.Unquote(m)
	f.Message = cut(text)
}

func number(object []byte, member string) (float64, bool) {
	v, ok := jsonrpc.Member(object, member)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil
}

func (s *Store) cancelled(i int32, params []byte, dir transport.Direction) {
	id, ok := jsonrpc.Member(params, "requestId")
	if !ok {
		return
	}
	key := s.pairs.key(id)
	row, ok := s.pairs.rowOf(dir, key)
	if !ok {
		return
	}
	s.rows.row(i).Cause = row
	if s.rows.at(row).Flags&Pending == 0 {
		return // it crossed the response
	}
	s.withdraw(dir, key, row, Cancelled)
}

// withdraw marks a request that gets no response, so that it no longer waits.
func (s *Store) withdraw(dir transport.Direction, key uint64, row int32, mark Flags) {
	f, batch := s.pairs.pending[dir][key], s.rows.at(row).Kind == jsonrpc.Batch
	if f == nil && batch {
		return // its element has a response
	}
	s.rows.change(row, func(r *Row) { r.Flags |= mark })
	if f != nil {
		s.complete(f)
	} else {
		s.ended(row)
	}
}

// Lost says that a request of ours gets no response, although the connection
// goes on.
func (s *Store) Lost(id jsonrpc.ID) { s.end(id, Abandoned) }

// Cancelled says that a request of ours was cancelled in a way that no message
// shows: by the end of its HTTP exchange, or by the server.
func (s *Store) Cancelled(id jsonrpc.ID) { s.end(id, Cancelled) }

// end ends the wait for a response, with the flag that says why.
func (s *Store) end(id jsonrpc.ID, why Flags) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.pairs.key([]byte(id))
	row, ok := s.pairs.rowOf(transport.Out, key)
	if !ok || s.rows.at(row).Flags&Pending == 0 {
		return
	}
	s.withdraw(transport.Out, key, row, why)
	s.gen++
}

// abandon marks what can have no response any more.
func (s *Store) abandon() {
	for _, f := range s.pairs.flights {
		if !f.completed {
			s.rows.change(f.Row, func(r *Row) { r.Flags = r.Flags&^Pending | Abandoned })
			f.completed = true
			s.pairs.drop(f)
		}
	}
	s.pairs.flights, s.pairs.waiting, s.pairs.standing = nil, 0, 0
	clear(s.pairs.inBatch)
}
