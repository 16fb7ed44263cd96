package stateless

import (
	"bytes"
	"hash/maphash"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// round is a question that a server gave instead of an answer (2026-07-28,
// basic / patterns / MRTR).
type round struct {
	request  *rule.Request // that was answered with it
	at       time.Time
	hasState bool
	state    uint64 // hash of requestState, which may be long
	// questions are the input requests, a raw copy; too many are not kept.
	questions []byte
	long      bool
	count     int  // which question it is in its row
	retried   bool // a request has come with the answer
}

// rounds are the newest questions of a connection, and how the message that is
// being looked at follows from one.
type rounds struct {
	seed  maphash.Seed
	list  []*round
	lost  bool                     // some were forgotten
	of    map[*rule.Request]*round // what the requests answer that still wait
	retry *retry                   // nil when the message is none
}

// maxRounds is how many questions are remembered.
const maxRounds = 256

// retry is a request with what a question asked for.
type retry struct {
	state, responses []byte // raw; nil when absent
	verdict          verdict
	round            *round // nil when there was no question
}

// verdict says how the state of a retry fits that of the question.
type verdict uint8

const (
	fits      verdict = iota
	altered           // requestState is another one, or is not there
	invented          // none was given
	elsewhere         // it belongs to another request
	unasked           // no state, and no question
)

func roundsOf(c *rule.Context) *rounds {
	rs := rule.Own[rounds](c.St)
	if rs.of == nil {
		rs.seed, rs.of = maphash.MakeSeed(), map[*rule.Request]*round{}
	}
	return rs
}

// nonNull is a raw value, and nil for null.
func nonNull(value []byte) []byte {
	if rule.Kind(value) == "null" {
		return nil
	}
	return value
}

func (rs *rounds) hash(state []byte) uint64 {
	if text, ok := jsonrpc.Unquote(state); ok {
		return maphash.String(rs.seed, text)
	}
	return maphash.Bytes(rs.seed, state)
}

// watchRetry finds out what a request follows from, for the rules that come
// after it.
func watchRetry(c *rule.Context) {
	if !c.M.IsRequest() || !c.M.IsStateless() || c.M.Sender() != rule.Client {
		return
	}
	rs := roundsOf(c)
	rs.retry = nil
	if c.M.Method == "tasks/update" {
		return // which has answers for a task
	}
	r := &retry{state: nonNull(rule.Member(c.M.Params, "requestState")), responses: nonNull(rule.Member(c.M.Params, "inputResponses"))}
	if r.state == nil && r.responses == nil {
		return
	}
	rs.retry = r
	if r.state != nil {
		rs.byState(c.M, r)
	} else {
		rs.byResponses(c.M, r)
	}
}

// byState finds the question by the state that a retry brings.
func (rs *rounds) byState(m *rule.Message, r *retry) {
	state := rs.hash(r.state)
	name := nameOf(m.Params)
	theirs := func(q *round) bool { return q.hasState && q.state == state }
	find := func(fit func(*round) bool) bool {
		r.round = rs.newest(m, fit)
		return r.round != nil
	}
	switch {
	case find(func(q *round) bool { return theirs(q) && q.isFor(m, name) }):
	case find(theirs):
		r.verdict = elsewhere
	case find(func(q *round) bool { return q.isFor(m, name) && !q.retried && q.hasState }):
		r.verdict = altered
	default:
		find(func(q *round) bool { return q.isFor(m, name) && !q.retried })
		r.verdict = invented
	}
}

// byResponses finds the question where a retry brings only answers.
func (rs *rounds) byResponses(m *rule.Message, r *retry) {
	name := nameOf(m.Params)
	find := func(fit func(*round) bool) bool {
		r.round = rs.newest(m, fit)
		return r.round != nil
	}
	switch {
	case find(func(q *round) bool { return q.isFor(m, name) && !q.retried }), find(func(q *round) bool { return q.isFor(m, name) }):
		if r.round.hasState {
			r.verdict = altered
		}
	case find(func(q *round) bool { return !q.retried && sameKeys(q.questions, r.responses) }):
		r.verdict = elsewhere
	default:
		r.verdict = unasked
	}
}

// newest finds the newest question that fits; of several one that nobody has
// answered, and one whose request had the same params.
func (rs *rounds) newest(m *rule.Message, fit func(*round) bool) *round {
	var best *round
	most, looks := -1, 8
	for _, q := range slices.Backward(rs.list) {
		if !fit(q) {
			continue
		}
		if looks--; looks < 0 {
			break // params are compared, which takes its time
		}
		points := 0
		if !q.retried {
			points++
		}
		if _, differs := q.changed(m); !differs {
			points += 2
		}
		if points > most {
			best, most = q, points
		}
		if most == 3 {
			break
		}
	}
	return best
}

// isFor reports whether the question was about the same method and name.
func (q *round) isFor(m *rule.Message, name string) bool {
	return q.request.Method == m.Method && q.request.Name == name
}

func nameOf(params []byte) string {
	if name := rule.Text(params, "name"); name != "" {
		return name
	}
	return rule.Text(params, "uri")
}

// changed finds a param that another request has otherwise, apart from those
// that belong to one request alone.
func (q *round) changed(m *rule.Message) (string, bool) {
	if q.request.Params == nil {
		return "", false // too long to be kept
	}
	first := rule.MembersByName(q.request.Params)
	for name, value := range jsonrpc.Members(m.Params) {
		if old, ok := first[string(name)]; !ofOneRequest(name) && (!ok || !sameJSON(old, value)) {
			return string(name), true
		}
		delete(first, string(name))
	}
	for name := range first {
		if !ofOneRequest([]byte(name)) {
			return name, true
		}
	}
	return "", false
}

func ofOneRequest(name []byte) bool {
	switch string(name) {
	case "_meta", "inputResponses", "requestState":
		return true
	}
	return false
}

// sameKeys reports whether two objects have the same members.
func sameKeys(a, b []byte) bool {
	x, y := rule.MembersByName(a), rule.MembersByName(b)
	for name := range x {
		if _, ok := y[name]; !ok {
			return false
		}
	}
	return len(x) == len(y)
}

// isEmpty reports an object without members.
func isEmptyObject(object []byte) bool {
	for range jsonrpc.Members(object) {
		return false
	}
	return rule.Kind(object) == "object"
}

// watchRounds remembers what requests answer, and what they are answered with.
func watchRounds(c *rule.Context) {
	switch {
	case !c.M.IsStateless():
	case c.M.IsRequest() && c.M.Sender() == rule.Client:
		rs := roundsOf(c)
		r := c.St.Request(c.M.Frame.Dir, c.M.ID)
		switch {
		case rs.retry != nil && rs.retry.round != nil:
			rs.of[r] = rs.retry.round
			rs.retry.round.retried = true
		case rs.retry == nil && len(rs.list) > 0:
			if q := rs.again(c.M, c.St.Now); q != nil {
				rs.of[r] = q
			}
		}
	case c.M.IsResponse() && c.M.Request != nil:
		rs := roundsOf(c)
		if c.M.IsResult() && c.M.ResultType() == "input_required" {
			rs.add(c.M, c.St.Now)
		}
		delete(rs.of, c.M.Request)
	}
}

// again is the question that was asked only just now when the same was called
// before: no person is so quick to drop the question and call anew.
func (rs *rounds) again(m *rule.Message, now time.Time) *round {
	const quick = 5 * time.Second
	name := nameOf(m.Params)
	q := rs.newest(m, func(q *round) bool { return now.Sub(q.at) <= quick && !q.retried && q.isFor(m, name) })
	if q != nil {
		if _, differs := q.changed(m); differs {
			return nil
		}
	}
	return q
}

func (rs *rounds) add(m *rule.Message, now time.Time) {
	q := &round{request: m.Request, at: now, count: 1}
	if before := rs.of[m.Request]; before != nil {
		q.count = before.count + 1
	}
	if state := nonNull(rule.Member(m.Result, "requestState")); state != nil {
		q.hasState, q.state = true, rs.hash(state)
	}
	if asked := rule.Member(m.Result, "inputRequests"); len(asked) <= rule.MaxKeptBytes {
		q.questions = bytes.Clone(asked)
	} else {
		q.long = true
	}
	if len(rs.list) >= maxRounds {
		rs.list, rs.lost = slices.Delete(rs.list, 0, maxRounds/2), true
	}
	rs.list = append(rs.list, q)
}

// asksForInput reports a result that is a question.
func asksForInput(m *rule.Message) bool {
	return m.IsResult() && m.IsStateless() && m.ResultType() == "input_required"
}

// isEmbedded reports a method that only stands inside a result.
func isEmbedded(method string) bool {
	m, ok := revision.Lookup(method)
	return ok && m.Embedded(revision.R20260728)
}
