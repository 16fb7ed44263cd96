package rule

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// ServerRequest is a request of the server: a message, or an entry of inputRequests
// (2026-07-28).
type ServerRequest struct {
	Method string
	Params []byte
	At     Place // of the params
}

// RequestsOf are the requests of the server with one of the methods, for [Each].
func RequestsOf(methods ...string) func(*Context) []ServerRequest {
	return func(c *Context) []ServerRequest { return c.ServerRequests(methods...) }
}

// ServerRequests are the requests of the server in the message, with one of the methods.
func (c *Context) ServerRequests(methods ...string) []ServerRequest {
	var found []ServerRequest
	switch m := c.M; {
	case m.Frame.Dir != transport.In:
	case m.IsRequest() && slices.Contains(methods, m.Method):
		found = append(found, ServerRequest{m.Method, m.Params, At("params")})
	case m.IsResult() && m.IsStateless():
		for key, entry := range jsonrpc.Members(Member(m.Result, "inputRequests")) {
			if method := Text(entry, "method"); slices.Contains(methods, method) {
				found = append(found, ServerRequest{method, Member(entry, "params"), At("result", "inputRequests", string(key), "params")})
			}
		}
	}
	return found
}

// OfClient is a raw capability of the client that a request of the server in the message
// may rely on: of the handshake, or of the request that has this result.
func (c *Context) OfClient(path ...string) []byte {
	switch {
	case c.M.IsRequest():
		return Member(c.St.ClientCaps, path[0], path[1:]...)
	case c.M.Request != nil:
		return Capability(c.M.Request, path...)
	}
	return nil
}
