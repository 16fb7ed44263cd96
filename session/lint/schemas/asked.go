package schemas

import (
	"bytes"
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// serverRequest is what the server asks the client for: a request of its own, or an
// entry of a result that asks for input (2026-07-28, MRTR).
type serverRequest struct {
	method string
	params []byte
	at     rule.Place // of the params
}

// clientResponse is the answer to one.
type clientResponse struct {
	method string
	params []byte // that it answers
	result []byte
	at     rule.Place
}

// inputMethods are those whose messages can hold asked or reply.
var inputMethods = []string{
	"elicitation/create", "sampling/createMessage", "tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update",
	"tasks/result",
}

// serverRequests walks over what a message asks for with a method.
func serverRequests(c *rule.Context, method string) iter.Seq[serverRequest] {
	return func(yield func(serverRequest) bool) {
		switch {
		case c.M.IsRequest() && c.M.Frame.Dir == transport.In && c.M.Method == method:
			yield(serverRequest{method, c.M.Params, rule.At("params")})
		case c.M.IsResult() && c.M.Frame.Dir == transport.In && c.M.IsStateless():
			for key, entry := range jsonrpc.Members(rule.Member(c.M.Result, "inputRequests")) {
				if rule.Text(entry, "method") != method {
					continue
				}
				if !yield(serverRequest{method, rule.Member(entry, "params"), rule.At("result", "inputRequests", string(key), "params")}) {
					return
				}
			}
		}
	}
}

// clientResponses walks over what a message answers to a method.
func clientResponses(c *rule.Context, method string) iter.Seq[clientResponse] {
	return func(yield func(clientResponse) bool) {
		m := c.M
		switch {
		case m.IsResult() && m.Frame.Dir == transport.Out && m.Request != nil && m.Request.Method == method:
			yield(clientResponse{method, m.Request.Params, m.Result, rule.At("result")})
		case m.IsRequest() && m.Frame.Dir == transport.Out && m.IsStateless():
			answers := rule.Member(m.Params, "inputResponses")
			if answers == nil {
				return
			}
			questions := rule.Own[inputRequests](c.St).of[inputKey(m.Method, m.Params, rule.Member(m.Params, "requestState"))]
			for key, answer := range jsonrpc.Members(answers) {
				entry := rule.Member(questions, string(key))
				if rule.Text(entry, "method") != method {
					continue
				}
				if !yield(clientResponse{method, rule.Member(entry, "params"), answer, rule.At("params", "inputResponses", string(key))}) {
					return
				}
			}
		}
	}
}

// inputRequests are the inputRequests that may still be answered, by what the
// answers will come with.
type inputRequests struct {
	of map[string][]byte
}

// maxInputRequests bounds them; the oldest ones are hardly answered any more.
// maxQuestion is the size up to which one is kept, in bytes.
const (
	maxInputRequests     = 64
	maxInputRequestBytes = 256 << 10
)

func inputKey(method string, params, state []byte) string {
	if id := rule.Text(params, "taskId"); id != "" {
		return rule.ShortKey("task\x00" + id)
	}
	return rule.ShortKey(method + "\x00" + rule.Text(params, "name") + rule.Text(params, "uri") + "\x00" + string(state))
}

// watchInputRequests keeps what is asked, to know what is answered.
func watchInputRequests(c *rule.Context) {
	if !c.M.IsResult() || c.M.Request == nil || !c.M.IsStateless() {
		return
	}
	entries := rule.Member(c.M.Result, "inputRequests")
	if rule.Kind(entries) != "object" || len(entries) > maxInputRequestBytes {
		return
	}
	q := rule.Own[inputRequests](c.St)
	if q.of == nil || len(q.of) >= maxInputRequests {
		q.of = map[string][]byte{}
	}
	q.of[inputKey(c.M.Request.Method, c.M.Request.Params, rule.Member(c.M.Result, "requestState"))] = bytes.Clone(entries)
}
