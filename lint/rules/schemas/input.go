package schemas

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// clientResponse is the response to a request of the server.
type clientResponse struct {
	params []byte // params of the request
	result []byte
	at     lint.Place
}

// inputMethods lists the methods of messages that can have a [lint.ServerRequest] or clientResponse.
var inputMethods = []string{
	"elicitation/create", "sampling/createMessage", "tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update",
	"tasks/result",
}

func responsesTo(method string) func(*lint.Context) []clientResponse {
	return func(c *lint.Context) []clientResponse { return clientResponses(c, method) }
}

// clientResponses returns the client's responses in a message to a method.
func clientResponses(c *lint.Context, method string) []clientResponse {
	var found []clientResponse
	switch m := c.M; {
	case m.Frame.Dir != transport.Out:
	case m.IsResult() && m.Request != nil && m.Request.Method == method:
		found = append(found, clientResponse{m.Request.Params, m.Result, lint.At("result")})
	case m.IsRequest() && m.IsStateless():
		responses := m.Get(m.Params, "inputResponses")
		if responses == nil {
			return nil
		}
		requests := (*lint.Own[inputRequests](c.St))[inputKey(m.Method, m.Params, m.Get(m.Params, "requestState"))]
		entries := jsonrpc.MemberIndex(requests)
		for key, response := range jsonrpc.Members(responses) {
			if entry := entries[string(key)]; jsonrpc.Text(entry, "method") == method {
				found = append(found, clientResponse{jsonrpc.Get(entry, "params"), response, lint.At("params", "inputResponses", string(key))})
			}
		}
	}
	return found
}

// inputRequests holds the input requests that may still get a response, by inputKey.
type inputRequests map[string][]byte

// maxInputRequests bounds the input requests of a result. maxInputRequestBytes bounds the size of one.
const (
	maxInputRequests     = 64
	maxInputRequestBytes = 256 << 10
)

func inputKey(method string, params, state []byte) string {
	if id := jsonrpc.Text(params, "taskId"); id != "" {
		return lint.ShortKey("task\x00" + id)
	}
	return lint.ShortKey(method + "\x00" + jsonrpc.Text(params, "name") + jsonrpc.Text(params, "uri") + "\x00" + string(jsonrpc.TokenOf(state).Meaning()))
}

// watchInputRequests keeps the inputRequests of results.
func watchInputRequests(c *lint.Context) {
	entries := c.M.Get(c.M.Result, "inputRequests")
	if jsonrpc.TypeOf(entries) != "object" || len(entries) > maxInputRequestBytes {
		return
	}
	key := inputKey(c.M.Request.Method, c.M.Request.Params, c.M.Get(c.M.Result, "requestState"))
	lint.Keep(lint.Own[inputRequests](c.St), maxInputRequests, key, bytes.Clone(entries))
}
