package requests

import (
	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// codeRejected is the error code for sampling that the user rejected (client /
// sampling, error handling).
const codeRejected = -1

// A response is a response to a request of the server: a result, or an error.
type response struct {
	state   State
	result  []byte // result, or nil for an error
	code    int64
	message string
}

// resultResponse returns a response with a result, whose action determines its state.
func resultResponse(result []byte) response {
	r := response{state: Answered, result: result}
	switch jsonrpc.Text(result, "action") {
	case "decline":
		r.state = Declined
	case "cancel":
		r.state = Cancelled
	}
	return r
}

// rejection returns the response that declines or cancels. Elicitation has actions for both; for sampling and
// roots it is an error, which declines.
func rejection(method string, state State) response {
	switch {
	case method == client.MethodRoots:
		return response{state: Declined, code: jsonrpc.CodeInternalError, message: "User rejected roots request"}
	case method != client.MethodElicitation:
		return response{state: Declined, code: codeRejected, message: "User rejected sampling request"}
	case state == Cancelled:
		return response{state: state, result: []byte(`{"action":"cancel"}`)}
	}
	return response{state: state, result: []byte(`{"action":"decline"}`)}
}

// resultForRequest adapts a configured result to a request: in URL mode the result
// has an action and no content (2025-11-25, client / elicitation).
func resultForRequest(r *Request, result []byte) []byte {
	if r.Method == client.MethodElicitation && jsonrpc.Text(r.Params, "mode") == "url" && jsonrpc.Text(result, "action") != "" {
		return client.Params(map[string]string{"action": jsonrpc.Text(result, "action")})
	}
	return result
}
