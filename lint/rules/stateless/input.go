package stateless

import (
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// clientRequests lists the requests of a client in 2026-07-28.
var clientRequests = revision.MethodNames(revision.R20260728, revision.Client, func(m revision.Method) bool { return !m.IsNotification() })

// inputRules check input requests and retries (2026-07-28, basic / patterns /
// MRTR).
var inputRules = []lint.Rule{
	{Methods: clientRequests, Message: watchRetry, After: watchInputResults},
	{ID: "X020", Message: func(c *lint.Context) {
		if !asksForInput(c.M) || c.M.Method == "" {
			return
		}
		if m, known := revision.Lookup(c.M.Method); known && !m.MayRequestInput() || !known && !c.MayBeExtension() {
			c.Report(lint.At("result", "resultType"))
		}
	}},
	{ID: "X021", Message: func(c *lint.Context) {
		if !asksForInput(c.M) || nonNull(c.M.Get(c.M.Result, "requestState")) != nil {
			return
		}
		if requests := nonNull(c.M.Get(c.M.Result, "inputRequests")); requests == nil || isEmptyObject(requests) {
			c.Report(lint.At("result"))
		}
	}},
	{ID: "X022", Limit: lint.PerMessage(lint.SomeMembers), Message: inputRequestEnvelope},
	{ID: "X023", Limit: lint.PerMessage(lint.SomeMembers), When: lint.Matched, Message: undeclaredInputRequest},
	{ID: "X024", Methods: clientRequests, Message: invalidRetry},
	{ID: "X025", Methods: clientRequests, Message: invalidInputResponses},
	{ID: "X026", Methods: clientRequests, Message: func(c *lint.Context) {
		if r := retryOf(c, stateChanged); r != nil && r.state != nil {
			c.Report(lint.At("params", "requestState"))
		} else if r != nil {
			c.Report(lint.At("params"))
		}
	}},
	{ID: "X027", Methods: clientRequests, Message: func(c *lint.Context) {
		if retryOf(c, stateNotIssued) != nil && !inputResultsOf(c).forgotten {
			c.Report(lint.At("params", "requestState"))
		}
	}},
	{ID: "X028", Methods: clientRequests, Message: func(c *lint.Context) {
		r := retryOf(c, otherRequest)
		if r == nil {
			return
		}
		member := "requestState"
		if r.state == nil {
			member = "inputResponses"
		}
		c.Report(lint.At("params", member), "id", r.result.request.ID, "method", r.result.request.Method)
	}},
	{ID: "X029", Methods: clientRequests, When: lint.Matched, Message: inputLoop},
}

// retryOf returns the retry in the message, or nil if it is not a retry of these kinds.
func retryOf(c *lint.Context, kinds ...retryMatch) *retry {
	if !c.M.IsRequest() || !c.M.IsStateless() || c.M.Sender() != lint.Client {
		return nil
	}
	if r := inputResultsOf(c).retry; r != nil && (len(kinds) == 0 || slices.Contains(kinds, r.match)) {
		return r
	}
	return nil
}

// inputRequestsOf returns the input requests of a message, and their place.
func inputRequestsOf(m *lint.Message) ([]byte, []any) {
	switch {
	case asksForInput(m), m.IsResult() && m.IsStateless() && m.Method == "tasks/get":
		return nonNull(m.Get(m.Result, "inputRequests")), []any{"result", "inputRequests"}
	case m.IsNotification() && m.IsStateless() && m.Method == "notifications/tasks":
		return nonNull(m.Get(m.Params, "inputRequests")), []any{"params", "inputRequests"}
	}
	return nil, nil
}

// inputRequestEnvelope finds members of an envelope, which an input request does not have.
func inputRequestEnvelope(c *lint.Context) {
	requests, at := inputRequestsOf(c.M)
	for key, entry := range jsonrpc.Members(requests) {
		if !isEmbedded(jsonrpc.Text(entry, "method")) {
			continue // the definition reports it
		}
		for _, member := range []string{"jsonrpc", "id"} {
			if lint.Has(entry, member) {
				c.Report(lint.At(slices.Concat(at, []any{string(key), member})...), "fault", lint.Quoted(key)+" has a member "+member)
				break
			}
		}
	}
}

// undeclaredInputRequest leaves modes and tools to C011 and C012.
func undeclaredInputRequest(c *lint.Context) {
	if !asksForInput(c.M) {
		return
	}
	caps := lint.MembersByName(lint.Capability(c.M.Request))
	for key, entry := range jsonrpc.Members(c.M.Get(c.M.Result, "inputRequests")) {
		m, ok := revision.Lookup(jsonrpc.Text(entry, "method"))
		if !ok || !m.Embedded(revision.R20260728) {
			continue
		}
		needs := m.Needs(revision.R20260728, revision.Server)
		if len(needs) == 0 || jsonrpc.TypeOf(caps[needs[0]]) == "object" {
			continue
		}
		c.Report(lint.At("result", "inputRequests", string(key)), "key", lint.Escaped(key), "cap", needs[0])
	}
}

func invalidRetry(c *lint.Context) {
	r := retryOf(c, matchesState, stateChanged, stateNotIssued)
	if r == nil || r.result == nil {
		return
	}
	if c.M.ID.Is(r.result.request.ID) {
		c.Report(lint.At("id"), "reason", "it has the id of the one that was answered with a question")
	}
	if member, differs := r.result.changedParam(c.M); differs {
		c.Report(lint.At("params", member), "reason", fmt.Sprintf("its %s differ from those of request %s", lint.Escaped(member), r.result.request.ID))
	}
}

func invalidInputResponses(c *lint.Context) {
	r := retryOf(c, matchesState, stateChanged, stateNotIssued, notRequested)
	if r == nil {
		return
	}
	at := lint.At("params", "inputResponses")
	switch {
	case r.responses != nil && jsonrpc.TypeOf(r.responses) != "object":
		c.Report(at, "reason", "they are "+lint.WithArticle(jsonrpc.TypeOf(r.responses))+", not an object")
	case r.result == nil:
		if r.match == notRequested && !inputResultsOf(c).forgotten && !isEmptyObject(r.responses) {
			c.Report(at, "reason", "nothing was asked")
		}
	case !r.result.oversized:
		if reason, key := r.mismatch(); reason != "" {
			if r.responses == nil {
				at = lint.At("params")
			} else if key != "" {
				at = lint.At("params", "inputResponses", key)
			}
			c.Report(at, "reason", reason)
		}
	}
}

// mismatch returns why inputResponses is invalid, and the key of the wrong member, if any.
func (r *retry) mismatch() (reason, key string) {
	requests, responses := lint.MembersByName(r.result.requests), lint.MembersByName(r.responses)
	for name := range jsonrpc.Members(r.result.requests) {
		if responses[string(name)] == nil {
			return lint.Quoted(name) + " is missing", ""
		}
	}
	for name, value := range jsonrpc.Members(r.responses) {
		switch {
		case requests[string(name)] == nil:
			return lint.Quoted(name) + " was not requested", string(name)
		case jsonrpc.TypeOf(value) != "object":
			return lint.Quoted(name) + " is " + lint.WithArticle(jsonrpc.TypeOf(value)) + ", not a result", string(name)
		case lint.Has(value, "jsonrpc") || jsonrpc.TypeOf(jsonrpc.Get(value, "result")) == "object" && !isInputResult(value):
			return lint.Quoted(name) + " is wrapped in an envelope", string(name)
		}
	}
	return "", ""
}

// isInputResult reports a response to one of the three kinds of input requests.
func isInputResult(value []byte) bool {
	return lint.Has(value, "action") || lint.Has(value, "roots") || lint.Has(value, "role")
}

// maxInputRounds bounds the results with input_required for one call.
const maxInputRounds = 10

func inputLoop(c *lint.Context) {
	if !asksForInput(c.M) {
		return
	}
	before := inputResultsOf(c).pending[c.M.Request]
	if before == nil {
		return
	}
	count := before.number + 1
	if key, method := before.repeatedRequest(c.M); key != "" {
		c.Report(lint.At("result", "inputRequests", key), "what", fmt.Sprintf("%s (%s) is requested again, although the call has its response", lint.Escaped(key), method))
	} else if count > maxInputRounds {
		c.Report(lint.At("result"), "what", fmt.Sprintf("%d times for one call", count))
	}
}

// repeatedRequest returns the key and the method of an input request that is repeated although it got a
// response, or "". A page in url mode may still be open, and a stateless server repeats earlier input requests
// next to new ones.
func (q *inputResult) repeatedRequest(m *lint.Message) (key, method string) {
	if len(q.requests) == 0 {
		return "", ""
	}
	responses := lint.MembersByName(jsonrpc.Get(m.Request.Params, "inputResponses"))
	before := lint.MembersByName(q.requests)
	for name, now := range jsonrpc.Members(m.Get(m.Result, "inputRequests")) {
		old := before[string(name)]
		if old == nil || responses[string(name)] == nil || jsonrpc.Text(old, "params", "mode") == "url" || !jsonrpc.Equal(old, now) {
			return "", "" // the call makes progress
		}
		if key == "" {
			key, method = string(name), lint.Escaped(jsonrpc.Text(now, "method"))
		}
	}
	return key, method
}
