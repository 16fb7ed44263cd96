package schemas

import (
	"bytes"
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// asked is what the server asks the client for: a request of its own, or an
// entry of a result that asks for input (2026-07-28, MRTR).
type asked struct {
	method string
	params []byte
	at     rule.Place // of the params
}

// reply is the answer to one.
type reply struct {
	method string
	params []byte // that it answers
	result []byte
	at     rule.Place
}

// askMethods are those whose messages can hold asked or reply.
var askMethods = []string{
	"elicitation/create", "sampling/createMessage", "tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update",
	"tasks/result",
}

// asks walks over what a message asks for with a method.
func asks(c *rule.Context, method string) iter.Seq[asked] {
	return func(yield func(asked) bool) {
		switch {
		case c.M.IsRequest() && c.M.Frame.Dir == transport.In && c.M.Method == method:
			yield(asked{method, c.M.Params, rule.At("params")})
		case c.M.IsResult() && c.M.Frame.Dir == transport.In && c.M.IsStateless():
			for key, entry := range jsonrpc.Members(rule.Member(c.M.Result, "inputRequests")) {
				if rule.Text(entry, "method") != method {
					continue
				}
				if !yield(asked{method, rule.Member(entry, "params"), rule.At("result", "inputRequests", string(key), "params")}) {
					return
				}
			}
		}
	}
}

// replies walks over what a message answers to a method.
func replies(c *rule.Context, method string) iter.Seq[reply] {
	return func(yield func(reply) bool) {
		m := c.M
		switch {
		case m.IsResult() && m.Frame.Dir == transport.Out && m.Request != nil && m.Request.Method == method:
			yield(reply{method, m.Request.Params, m.Result, rule.At("result")})
		case m.IsRequest() && m.Frame.Dir == transport.Out && m.IsStateless():
			answers := rule.Member(m.Params, "inputResponses")
			if answers == nil {
				return
			}
			questions := rule.Own[questions](c.St).of[questionKey(m.Method, m.Params, rule.Member(m.Params, "requestState"))]
			for key, answer := range jsonrpc.Members(answers) {
				entry := rule.Member(questions, string(key))
				if rule.Text(entry, "method") != method {
					continue
				}
				if !yield(reply{method, rule.Member(entry, "params"), answer, rule.At("params", "inputResponses", string(key))}) {
					return
				}
			}
		}
	}
}

// questions are the inputRequests that may still be answered, by what the
// answers will come with.
type questions struct {
	of map[string][]byte
}

// maxQuestions bounds them; the oldest ones are hardly answered any more.
// maxQuestion is the size up to which one is kept, in bytes.
const (
	maxQuestions = 64
	maxQuestion  = 256 << 10
)

func questionKey(method string, params, state []byte) string {
	if id := rule.Text(params, "taskId"); id != "" {
		return rule.ShortKey("task\x00" + id)
	}
	return rule.ShortKey(method + "\x00" + rule.Text(params, "name") + rule.Text(params, "uri") + "\x00" + string(state))
}

// watchQuestions keeps what is asked, to know what is answered.
func watchQuestions(c *rule.Context) {
	if !c.M.IsResult() || c.M.Request == nil || !c.M.IsStateless() {
		return
	}
	entries := rule.Member(c.M.Result, "inputRequests")
	if rule.Kind(entries) != "object" || len(entries) > maxQuestion {
		return
	}
	q := rule.Own[questions](c.St)
	if q.of == nil || len(q.of) >= maxQuestions {
		q.of = map[string][]byte{}
	}
	q.of[questionKey(c.M.Request.Method, c.M.Request.Params, rule.Member(c.M.Result, "requestState"))] = bytes.Clone(entries)
}
