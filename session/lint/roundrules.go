package lint

import (
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

var clientRequests26 = inModern(revision.Client, false)

// roundRules judge questions instead of answers, and requests that are sent
// again with what was asked for (2026-07-28, basic / patterns / MRTR).
var roundRules = []rule{
	{methods: clientRequests26, message: watchRetry, after: watchRounds},
	{id: "X020", message: func(c *Context) {
		if !c.M.asksForInput() || c.M.Method == "" {
			return
		}
		if m, known := revision.Lookup(c.M.Method); known && !m.MayRequestInput() || !known && !c.extension() {
			c.Report(At("result", "resultType"))
		}
	}},
	{id: "X021", message: func(c *Context) {
		if !c.M.asksForInput() || nonNull(Member(c.M.Result, "requestState")) != nil {
			return
		}
		if requests := nonNull(Member(c.M.Result, "inputRequests")); requests == nil || isEmptyObject(requests) {
			c.Report(At("result"))
		}
	}},
	{id: "X022", limit: perMessage(someMembers), message: wrongQuestion},
	{id: "X023", limit: perMessage(someMembers), message: undeclaredQuestion},
	{id: "X024", methods: clientRequests26, message: wrongRetry},
	{id: "X025", methods: clientRequests26, message: wrongResponses},
	{id: "X026", methods: clientRequests26, message: func(c *Context) {
		if r := c.retry(altered); r != nil && r.state != nil {
			c.Report(At("params", "requestState"))
		} else if r != nil {
			c.Report(At("params"))
		}
	}},
	{id: "X027", methods: clientRequests26, message: func(c *Context) {
		if c.retry(invented) != nil && !c.rounds().lost {
			c.Report(At("params", "requestState"))
		}
	}},
	{id: "X028", methods: clientRequests26, message: func(c *Context) {
		r := c.retry(elsewhere)
		if r == nil {
			return
		}
		member := "requestState"
		if r.state == nil {
			member = "inputResponses"
		}
		c.Report(At("params", member), "id", r.round.request.ID, "method", r.round.request.Method)
	}},
	{id: "X029", methods: clientRequests26, message: inputLoop},
}

// retry is what the message is when it is a retry of one of these kinds, or of
// any.
func (c *Context) retry(kinds ...verdict) *retry {
	if !c.M.IsRequest() || !c.M.Modern() || c.M.Sender() != Client {
		return nil
	}
	if r := c.rounds().retry; r != nil && (len(kinds) == 0 || slices.Contains(kinds, r.verdict)) {
		return r
	}
	return nil
}

// questions returns the input requests of a message, and where they stand.
func (m *Message) questions() ([]byte, []any) {
	switch {
	case m.asksForInput(), m.IsResult() && m.Modern() && m.Method == "tasks/get":
		return nonNull(Member(m.Result, "inputRequests")), []any{"result", "inputRequests"}
	case m.IsNotification() && m.Modern() && m.Method == "notifications/tasks":
		return nonNull(Member(m.Params, "inputRequests")), []any{"params", "inputRequests"}
	}
	return nil, nil
}

func wrongQuestion(c *Context) {
	asked, at := c.M.questions()
	if asked == nil {
		return
	}
	if Kind(asked) != "object" {
		c.Report(At(at...), "key", "inputRequests", "reason", "this is "+withArticle(Kind(asked))+", not an object")
		return
	}
	for key, entry := range jsonrpc.Members(asked) {
		reason := ""
		switch method := Member(entry, "method"); {
		case Kind(entry) != "object":
			reason = "it is " + withArticle(Kind(entry)) + ", not an object"
		case method == nil:
			reason = "it has no method"
		case !isEmbedded(Text(entry, "method")):
			reason = "its method is " + shownValue(method)
		case has(entry, "jsonrpc"):
			reason = "it has a jsonrpc member"
		case has(entry, "id"):
			reason = "it has an id"
		}
		if reason != "" {
			c.Report(At(slices.Concat(at, []any{string(key)})...), "key", escaped(key), "reason", reason)
		}
	}
}

// undeclaredQuestion leaves to C011 and C012 what is declared but for its mode
// or its tools.
func undeclaredQuestion(c *Context) {
	if !c.M.asksForInput() || c.M.Request == nil {
		return
	}
	caps := membersByName(c.M.Request.Capability())
	for key, entry := range jsonrpc.Members(Member(c.M.Result, "inputRequests")) {
		m, ok := revision.Lookup(Text(entry, "method"))
		if !ok || !m.Embedded(revision.R20260728) {
			continue
		}
		needs := m.Needs(revision.R20260728, revision.Server)
		if len(needs) == 0 || Kind(caps[needs[0]]) == "object" {
			continue
		}
		c.Report(At("result", "inputRequests", string(key)), "key", escaped(key), "cap", needs[0])
	}
}

func wrongRetry(c *Context) {
	r := c.retry(fits, altered, invented)
	if r == nil || r.round == nil {
		return
	}
	if string(c.M.ID) == r.round.request.ID {
		c.Report(At("id"), "reason", "it has the id of the one that was answered with a question")
	}
	if member, differs := r.round.changed(c.M); differs {
		c.Report(At("params", member), "reason", fmt.Sprintf("its %s differ from those of request %s", escaped(member), r.round.request.ID))
	}
}

func wrongResponses(c *Context) {
	r := c.retry(fits, altered, invented, unasked)
	if r == nil {
		return
	}
	at := At("params", "inputResponses")
	switch {
	case r.responses != nil && Kind(r.responses) != "object":
		c.Report(at, "reason", "they are "+withArticle(Kind(r.responses))+", not an object")
	case r.round == nil:
		if r.verdict == unasked && !c.rounds().lost && !isEmptyObject(r.responses) {
			c.Report(at, "reason", "nothing was asked")
		}
	case !r.round.long:
		if reason, key := r.mismatch(); reason != "" {
			if r.responses == nil {
				at = At("params")
			} else if key != "" {
				at = At("params", "inputResponses", key)
			}
			c.Report(at, "reason", reason)
		}
	}
}

// mismatch says what is wrong with the answers, and at which key when there is
// such a member.
func (r *retry) mismatch() (reason, key string) {
	asked, answers := membersByName(r.round.questions), membersByName(r.responses)
	for name := range jsonrpc.Members(r.round.questions) {
		if answers[string(name)] == nil {
			return quoted(name) + " is missing", ""
		}
	}
	for name, value := range jsonrpc.Members(r.responses) {
		switch {
		case asked[string(name)] == nil:
			return quoted(name) + " was not requested", string(name)
		case Kind(value) != "object":
			return quoted(name) + " is " + withArticle(Kind(value)) + ", not a result", string(name)
		case has(value, "jsonrpc") || Kind(Member(value, "result")) == "object" && !isInputResult(value):
			return quoted(name) + " is wrapped in an envelope", string(name)
		}
	}
	return "", ""
}

// isInputResult reports what one of the three questions may be answered with.
func isInputResult(value []byte) bool {
	return has(value, "action") || has(value, "roots") || has(value, "role")
}

// maxInput is how many questions in a row are taken for serious.
const maxInput = 10

func inputLoop(c *Context) {
	if !c.M.asksForInput() || c.M.Request == nil {
		return
	}
	before := c.rounds().of[c.M.Request]
	if before == nil {
		return
	}
	count := before.count + 1
	if key, method := before.askedAgain(c.M); key != "" {
		c.Report(At("result", "inputRequests", key), "what", fmt.Sprintf("%s (%s) comes again, although the call has answered it", escaped(key), method))
	} else if count > maxInput {
		c.Report(At("result"), "what", fmt.Sprintf("%d times for one call", count))
	}
}

// askedAgain is a question that has come back although it was answered, and its
// method; empty when there is none. A page that the user has agreed to open need
// not be done with yet, and a server without state repeats what it asked before
// beside what is new.
func (q *round) askedAgain(m *Message) (key, method string) {
	if len(q.questions) == 0 {
		return "", ""
	}
	responses := membersByName(Member(m.Request.Params, "inputResponses"))
	before := membersByName(q.questions)
	for name, now := range jsonrpc.Members(Member(m.Result, "inputRequests")) {
		old := before[string(name)]
		if old == nil || responses[string(name)] == nil || Text(old, "params", "mode") == "url" || !sameJSON(old, now) {
			return "", "" // it gets on
		}
		if key == "" {
			key, method = string(name), escaped(Text(now, "method"))
		}
	}
	return key, method
}
