package store

import (
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// pairing is all that is known of requests and their answers on the current
// connection. It is changed in relate and abandon alone, under the lock of the
// store.
type pairing struct {
	seed maphash.Seed
	// requests finds the row of a request by the hash of its raw id, one
	// table for each sender. Answered requests stay, so that a second answer
	// can be told from an answer to nothing.
	requests [2]map[uint64]request
	// flights are the requests that wait, sorted by row. One that has landed
	// stays as a gap until the gaps outnumber the rest, so that landing is
	// cheap however many wait.
	flights []*Flight
	waiting int
	// standing counts those of them that are there to stay.
	standing int
	// inBatch counts the requests of a batch that wait, by its row.
	inBatch map[int32]int
	// tokens finds the request of a progress token, for each sender.
	tokens [2]map[string]*Flight
	// tasks finds the request of ours that became a task, by the task's id.
	tasks map[string]int32
}

// request is what is known of an id that was used.
type request struct {
	row    int32
	flight *Flight
}

// Flight is a request that waits for its answer.
type Flight struct {
	Row    int32
	Dir    transport.Direction
	ID     string // raw
	Method string
	Name   string // of the tool, resource or prompt; empty for other methods
	Start  time.Time

	// What the last progress notification said.
	Reports         int // how many there were
	Progress, Total float64
	HasTotal        bool
	Message         string
	LastReport      time.Time

	Cancelled bool // a cancellation was sent
	token     string
	landed    bool
	// task says that its answer was a task, for which its token stays good
	// (2025-11-25, basic / utilities / tasks).
	task bool
	// standing is a subscription: it lasts as long as it is wanted, and nobody
	// waits for its answer (2026-07-28, basic / patterns / subscriptions).
	standing bool
}

func newPairing() pairing {
	return pairing{
		seed:     maphash.MakeSeed(),
		requests: [2]map[uint64]request{{}, {}},
		inBatch:  map[int32]int{},
		tokens:   [2]map[string]*Flight{{}, {}},
		tasks:    map[string]int32{},
	}
}

func (p *pairing) key(id []byte) uint64 { return maphash.Bytes(p.seed, id) }

// relate finds out how a new frame hangs together with those before it.
func (s *Store) relate(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
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
				s.relate(i, element, inner, dir)
			}
		}
	case jsonrpc.Invalid:
		// A spoilt answer still belongs to its request, if it names one.
		if id := e.ID.Of(frame); len(id) > 0 && !e.Method.Present() {
			if r, ok := s.pairs.requests[1-dir][s.pairs.key(id)]; ok && s.rows.at(r.row).Pair == None {
				s.settle(r, i)
			}
		}
	}
}

func (s *Store) requested(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	row := s.rows.at(i)
	id := e.ID.Of(frame)
	key := s.pairs.key(id)
	if before, used := s.pairs.requests[dir][key]; used {
		row.Flags |= DuplicateID
		s.land(before) // an answer now goes to the newer one
	}
	params := e.Params.Of(frame)
	token, _ := jsonrpc.Member(params, "_meta", "progressToken")
	f := &Flight{
		Row: i, Dir: dir, ID: string(id), Method: e.MethodName(frame),
		Name: subject(params), Start: time.Unix(0, row.Time), token: string(token),
	}
	s.pairs.requests[dir][key] = request{i, f}
	s.pairs.flights = append(s.pairs.flights, f)
	s.pairs.waiting++
	if f.standing = f.Method == "subscriptions/listen"; f.standing {
		s.pairs.standing++
	}
	row.Flags |= Pending
	if row.Kind == jsonrpc.Batch {
		s.pairs.inBatch[i]++
	}
	if f.token != "" {
		s.pairs.tokens[dir][f.token] = f
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
	row := s.rows.at(i)
	if e.IDType == jsonrpc.IDAbsent || e.IDType == jsonrpc.IDNull {
		row.Flags |= NoID
		if r, ok := s.carried(row, dir); ok && e.Kind == jsonrpc.ErrorResponse {
			s.settle(r, i)
		}
		return
	}
	r, ok := s.pairs.requests[1-dir][s.pairs.key(e.ID.Of(frame))]
	if !ok {
		row.Flags |= UnknownID
		return
	}
	request := s.rows.at(r.row)
	if request.Flags&(Cancelled|Abandoned) != 0 {
		row.Flags |= Late
	}
	if request.Pair != None && request.Kind != jsonrpc.Batch {
		row.Flags |= DuplicateAnswer
		row.Pair, row.Method = r.row, request.Method
		return
	}
	if e.Kind == jsonrpc.Response && s.methods.list[request.Method] == "tools/call" {
		result := e.Result.Of(frame)
		if v, ok := jsonrpc.Member(result, "isError"); ok && string(v) == "true" {
			row.Flags |= ToolError
		}
		if id := createdTask(result); id != "" {
			r.flight.task = true
			s.pairs.tasks[id] = r.row
		}
	}
	s.settle(r, i)
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

// settle pairs a request with its answer and ends the wait.
func (s *Store) settle(r request, answer int32) {
	q, a := s.rows.at(r.row), s.rows.at(answer)
	q.Pair, a.Pair = answer, r.row
	if a.Kind.IsAnswer() {
		a.Method = q.Method
	}
	s.land(r)
}

// land takes a request off the list of those that wait.
func (s *Store) land(r request) {
	p, f := &s.pairs, r.flight
	if f.landed {
		return
	}
	f.landed = true
	p.waiting--
	if f.standing {
		p.standing--
	}
	if p.inBatch[r.row]--; p.inBatch[r.row] <= 0 {
		delete(p.inBatch, r.row)
		s.rows.at(r.row).Flags &^= Pending
	}
	if f.token != "" && !f.task && p.tokens[f.Dir][f.token] == f {
		delete(p.tokens[f.Dir], f.token)
	}
	if p.waiting < len(p.flights)/2 {
		p.flights = slices.DeleteFunc(p.flights, func(f *Flight) bool { return f.landed })
	}
}

func (s *Store) notified(i int32, frame []byte, e jsonrpc.Envelope, dir transport.Direction) {
	switch e.MethodName(frame) {
	case "notifications/progress":
		s.progressed(i, e.Params.Of(frame), dir)
	case "notifications/cancelled":
		s.cancelled(i, e.Params.Of(frame), dir)
	case "notifications/tasks", "notifications/tasks/status":
		id, _ := jsonrpc.Member(e.Params.Of(frame), "taskId")
		task, _ := jsonrpc.Unquote(id)
		if row, ok := s.pairs.tasks[task]; ok && dir == transport.In {
			s.rows.at(i).Cause = row
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
	r, ok := s.pairs.requests[1-dir][s.pairs.key(id)]
	if !ok || !r.flight.standing {
		return
	}
	row := s.rows.at(i)
	row.Cause = r.row
	if request := s.rows.at(r.row); request.Flags&Pending != 0 && s.methods.list[row.Method] == "notifications/subscriptions/acknowledged" {
		request.Flags |= Open
	}
}

func (s *Store) progressed(i int32, params []byte, dir transport.Direction) {
	token, ok := jsonrpc.Member(params, "progressToken")
	if !ok {
		return
	}
	f, ok := s.pairs.tokens[1-dir][string(token)]
	if !ok {
		return
	}
	row := s.rows.at(i)
	row.Cause = f.Row
	f.Reports++
	f.LastReport = time.Unix(0, row.Time)
	f.Progress, _ = number(params, "progress")
	f.Total, f.HasTotal = number(params, "total")
	m, _ := jsonrpc.Member(params, "message")
	f.Message, _ = jsonrpc.Unquote(m)
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
	r, ok := s.pairs.requests[dir][s.pairs.key(id)]
	if !ok {
		return
	}
	s.rows.at(i).Cause = r.row
	if r.flight.landed {
		return // it crossed the answer
	}
	s.rows.at(r.row).Flags |= Cancelled
	// A cancelled request gets no answer, so it no longer waits.
	s.land(r)
}

// abandon marks what can have no answer any more.
func (s *Store) abandon() {
	for _, f := range s.pairs.flights {
		if row := s.rows.at(f.Row); !f.landed {
			row.Flags = row.Flags&^Pending | Abandoned
		}
	}
	s.pairs.flights, s.pairs.waiting, s.pairs.standing = nil, 0, 0
}

// Flights returns the requests that wait for an answer, oldest first, at most
// so many. Subscriptions are not among them. The caller owns the result.
func (s *Store) Flights(most int) []Flight {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var waiting []Flight
	for _, f := range s.pairs.flights {
		if len(waiting) == most {
			break
		}
		if !f.landed && !f.standing {
			waiting = append(waiting, *f)
		}
	}
	return waiting
}

// Related returns the rows of one exchange around a row: the request, its
// answer and the notifications between them, as far as they lie within reach
// rows of it.
func (s *Store) Related(i int32) (request, answer int32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return None, None
	}
	row := s.rows.at(i)
	switch {
	case row.Kind == jsonrpc.Request:
		return i, row.Pair
	case row.Cause != None:
		return row.Cause, s.rows.at(row.Cause).Pair
	case row.Pair != None:
		return row.Pair, i
	}
	return None, None
}

// RequestRow finds the newest request that a side sent under a raw id on the
// current connection; None when there is none.
func (s *Store) RequestRow(dir transport.Direction, id string) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r, ok := s.pairs.requests[dir][s.pairs.key([]byte(id))]; ok {
		return r.row
	}
	return None
}
