package schemas

import (
	"bytes"
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// serverRequest is a request of the server: a message, or an entry of
// inputRequests (2026-07-28).
type serverRequest struct {
	method string
	params []byte
	at     rule.Place // of the params
}

// clientResponse is the response to one.
type clientResponse struct {
	method string
	params []byte // of the request
	result []byte
	at     rule.Place
}

// inputMethods are the methods of messages that can have serverRequest or
// clientResponse.
var inputMethods = []string{
	"elicitation/create", "sampling/createMessage", "tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update",
	"tasks/result",
}

// serverRequests walks over the requests of the server in a message, with a
// method.
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

// clientResponses walks over the responses of the client in a message, to a
// method.
func clientResponses(c *rule.Context, method string) iter.Seq[clientResponse] {
	return func(yield func(clientResponse) bool) {
		m := c.M
		switch {
		case m.IsResult() && m.Frame.Dir == transport.Out && m.Request != nil && m.Request.Method == method:
			yield(clientResponse{method, m.Request.Params, m.Result, rule.At("result")})
		case m.IsRequest() && m.Frame.Dir == transport.Out && m.IsStateless():
			responses := rule.Member(m.Params, "inputResponses")
			if responses == nil {
				return
			}
			requests := rule.Own[inputRequests](c.St).of[inputKey(m.Method, m.Params, rule.Member(m.Params, "requestState"))]
			for key, response := range jsonrpc.Members(responses) {
				entry := rule.Member(requests, string(key))
				if rule.Text(entry, "method") != method {
					continue
				}
				if !yield(clientResponse{method, rule.Member(entry, "params"), response, rule.At("params", "inputResponses", string(key))}) {
					return
				}
			}
		}
	}
}

// inputRequests are the inputRequests that may still get a response, by inputKey.
type inputRequests struct {
	of map[string][]byte
}

// maxInputRequests bounds them, maxInputRequestBytes the size of one.
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

// watchInputRequests keeps the inputRequests of results.
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
