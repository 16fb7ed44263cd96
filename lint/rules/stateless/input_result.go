package stateless

import (
	"bytes"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/record/flow"
)

// inputResult is a result with resultType input_required (2026-07-28, basic /
// patterns / MRTR).
type inputResult struct {
	request  *flow.Flow // request with this result
	at       time.Time
	hasState bool
	state    uint64 // hash of requestState, which may be long
	// requests is a raw copy of the input requests, or nil if there are too many.
	requests  []byte
	oversized bool
	number    int  // number of such results for the call, including this one
	retried   bool // a request with the responses was sent
}

// inputResults holds the newest input results of a connection, and how the current message follows from one.
type inputResults struct {
	list      []*inputResult
	forgotten bool                        // older ones were dropped
	pending   map[*flow.Flow]*inputResult // inputs by the pending request that follows from them
	retry     *retry                      // retry in the message, or nil
}

// maxInputResults bounds them.
const maxInputResults = 256

// retry is a request with inputResponses or requestState.
type retry struct {
	state, responses []byte // raw; nil when absent
	match            retryMatch
	result           *inputResult // result that matches, or nil
}

// A retryMatch is the result of comparing the requestState of a retry with the requestState of the result.
type retryMatch uint8

const (
	matchesState   retryMatch = iota
	stateChanged              // requestState differs or is missing
	stateNotIssued            // the server returned no requestState
	otherRequest              // the requestState belongs to another request
	notRequested              // there is no requestState, and no result
)

func inputResultsOf(c *lint.Context) *inputResults { return lint.Own[inputResults](c.St) }

// nonNull returns a raw value, or nil for null.
func nonNull(value []byte) []byte {
	if jsonrpc.TypeOf(value) == "null" {
		return nil
	}
	return value
}

// watchRetry finds the result that made the client send a request again. Later rules use it.
func watchRetry(c *lint.Context) {
	if !c.M.IsRequest() || !c.M.IsStateless() || c.M.Sender() != lint.Client {
		return
	}
	rs := inputResultsOf(c)
	rs.retry = nil
	if c.M.Method == "tasks/update" {
		return // the responses belong to a task
	}
	r := &retry{state: nonNull(c.M.Get(c.M.Params, "requestState")), responses: nonNull(c.M.Get(c.M.Params, "inputResponses"))}
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

// byState finds the result by requestState of a retry.
func (rs *inputResults) byState(m *lint.Message, r *retry) {
	state := jsonrpc.Sum(r.state)
	name := nameOf(m.Params)
	theirs := func(q *inputResult) bool { return q.hasState && q.state == state }
	find := func(fit func(*inputResult) bool) bool {
		r.result = rs.newest(m, fit)
		return r.result != nil
	}
	switch {
	case find(func(q *inputResult) bool { return theirs(q) && q.isFor(m, name) }):
	case find(theirs):
		r.match = otherRequest
	case find(func(q *inputResult) bool { return q.isFor(m, name) && !q.retried && q.hasState }):
		r.match = stateChanged
	default:
		find(func(q *inputResult) bool { return q.isFor(m, name) && !q.retried })
		r.match = stateNotIssued
	}
}

// byResponses finds the result of a retry without requestState.
func (rs *inputResults) byResponses(m *lint.Message, r *retry) {
	name := nameOf(m.Params)
	find := func(fit func(*inputResult) bool) bool {
		r.result = rs.newest(m, fit)
		return r.result != nil
	}
	switch {
	case find(func(q *inputResult) bool { return q.isFor(m, name) && !q.retried }), find(func(q *inputResult) bool { return q.isFor(m, name) }):
		if r.result.hasState {
			r.match = stateChanged
		}
	case find(func(q *inputResult) bool { return !q.retried && sameKeys(q.requests, r.responses) }):
		r.match = otherRequest
	default:
		r.match = notRequested
	}
}

// newest returns the newest result that fits. Among several, it prefers one without a retry, and one whose
// request had the same params.
func (rs *inputResults) newest(m *lint.Message, fit func(*inputResult) bool) *inputResult {
	var best *inputResult
	bestPoints, comparisons := -1, 8
	for _, q := range slices.Backward(rs.list) {
		if !fit(q) {
			continue
		}
		if comparisons--; comparisons < 0 {
			break // comparing params takes time
		}
		points := 0
		if !q.retried {
			points++
		}
		if _, differs := q.changedParam(m); !differs {
			points += 2
		}
		if points > bestPoints {
			best, bestPoints = q, points
		}
		if bestPoints == 3 {
			break
		}
	}
	return best
}

// isFor reports whether the request of the result had the same method and name.
func (q *inputResult) isFor(m *lint.Message, name string) bool {
	return q.request.Method == m.Method && q.request.Name == name
}

func nameOf(params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	return jsonrpc.Text(params, "uri")
}

// changedParam returns a param that differs between the two requests, except for params that belong to one
// request.
func (q *inputResult) changedParam(m *lint.Message) (string, bool) {
	if q.request.Params == nil {
		return "", false // the params were too long to keep
	}
	first := lint.MembersByName(q.request.Params)
	for name, value := range jsonrpc.Members(m.Params) {
		if old, ok := first[string(name)]; !isPerRequest(name) && (!ok || !jsonrpc.Equal(old, value)) {
			return string(name), true
		}
		delete(first, string(name))
	}
	for name := range first {
		if !isPerRequest([]byte(name)) {
			return name, true
		}
	}
	return "", false
}

func isPerRequest(name []byte) bool {
	switch string(name) {
	case "_meta", "inputResponses", "requestState":
		return true
	}
	return false
}

// sameKeys reports whether two objects have the same members.
func sameKeys(a, b []byte) bool {
	x, y := lint.MembersByName(a), lint.MembersByName(b)
	for name := range x {
		if _, ok := y[name]; !ok {
			return false
		}
	}
	return len(x) == len(y)
}

// isEmptyObject reports an object without members.
func isEmptyObject(object []byte) bool {
	for range jsonrpc.Members(object) {
		return false
	}
	return jsonrpc.TypeOf(object) == "object"
}

// watchInputResults records which result a request follows from, and the results.
func watchInputResults(c *lint.Context) {
	switch {
	case !c.M.IsStateless():
	case c.M.IsRequest() && c.M.Sender() == lint.Client:
		rs := inputResultsOf(c)
		r := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID)
		switch {
		case rs.retry != nil && rs.retry.result != nil:
			lint.Keep(&rs.pending, maxInputResults, r, rs.retry.result)
			rs.retry.result.retried = true
		case rs.retry == nil && len(rs.list) > 0:
			if q := rs.repeatedCall(c.M, c.St.Now); q != nil {
				lint.Keep(&rs.pending, maxInputResults, r, q)
			}
		}
	case c.M.IsResponse() && c.M.Request != nil:
		rs := inputResultsOf(c)
		if c.M.IsResult() && c.M.ResultType() == "input_required" {
			rs.add(c.M, c.St.Now)
		}
		delete(rs.pending, c.M.Request)
	}
}

// repeatedCall returns the result of an equal call a moment ago: the client has probably dropped the input
// requests and called again.
func (rs *inputResults) repeatedCall(m *lint.Message, now time.Time) *inputResult {
	const quick = 5 * time.Second
	name := nameOf(m.Params)
	q := rs.newest(m, func(q *inputResult) bool { return now.Sub(q.at) <= quick && !q.retried && q.isFor(m, name) })
	if q != nil {
		if _, differs := q.changedParam(m); differs {
			return nil
		}
	}
	return q
}

func (rs *inputResults) add(m *lint.Message, now time.Time) {
	q := &inputResult{request: m.Request, at: now, number: 1}
	if before := rs.pending[m.Request]; before != nil {
		q.number = before.number + 1
	}
	if state := nonNull(m.Get(m.Result, "requestState")); state != nil {
		q.hasState, q.state = true, jsonrpc.Sum(state)
	}
	if asked := m.Get(m.Result, "inputRequests"); len(asked) <= lint.MaxKeptBytes {
		q.requests = bytes.Clone(asked)
	} else {
		q.oversized = true
	}
	if len(rs.list) >= maxInputResults {
		rs.list, rs.forgotten = slices.Delete(rs.list, 0, maxInputResults/2), true
	}
	rs.list = append(rs.list, q)
}

// asksForInput reports a result with input_required.
func asksForInput(m *lint.Message) bool {
	return m.IsResult() && m.IsStateless() && m.ResultType() == "input_required"
}

// isEmbedded reports a method that occurs only inside results.
func isEmbedded(method string) bool {
	m, ok := revision.Lookup(method)
	return ok && m.Embedded(revision.R20260728)
}
