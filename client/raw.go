package client

import (
	"context"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// Raw holds the callbacks and settings of a connection without a [Client]; see [Target.NewTransport].
type Raw struct {
	// Lost is called for a request that was sent and gets no response. Expired is called when the
	// session has ended; see package http.
	Lost    func(id jsonrpc.ID, err error)
	Expired func(err error)
	// Authorization adds credentials; nil adds none.
	Authorization transport.Authorization
	Lenient       bool
	// Secrets holds the values that are redacted in reports; secrets of requests are added. It may be nil.
	Secrets *secret.Values
	// Tool returns the input schema of a tool, whose annotations are mirrored in headers, or nil.
	Tool func(name string) []byte
}

// NewTransport returns a transport to the target that is not open, for a caller that negotiates itself.
func (t Target) NewTransport(r Raw) transport.Transport {
	return t.transport(transportDeps{r.Lost, r.Expired, r.headers, r.Authorization, r.Lenient, r.Secrets})
}

// A FallBacker is a transport that can change to HTTP+SSE if the server does not support
// Streamable HTTP.
type FallBacker interface {
	FallBack(ctx context.Context) (endpoint string, err error)
}

// FallBack implements [FallBacker].
func (e *autoTransport) FallBack(ctx context.Context) (endpoint string, err error) {
	return e.fallBack(ctx)
}

// headers returns the headers of a message of a stateless version.
func (r Raw) headers(frame []byte, e jsonrpc.Envelope) http.Header {
	if e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Notification {
		return nil
	}
	params := e.Params.Of(frame)
	version := jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion)
	if !revision.Revision(version).IsStateless() {
		return nil
	}
	h := standardHeaders(e.MethodName(frame), version, params)
	if r.Tool == nil || !e.HasMethod(frame, "tools/call") {
		return h
	}
	mirrored, err := paramheader.Read(r.Tool(jsonrpc.Text(params, "name")))
	if err != nil {
		return h
	}
	arguments, _ := jsonrpc.Member(params, "arguments")
	for _, p := range mirrored {
		if value, ok := p.Value(arguments); ok {
			h.Set(paramheader.Prefix+p.Header, revision.HeaderValue(value))
		}
	}
	return h
}

// standardHeaders mirror a message (2026-07-28, basic / transports, "Standard Request Headers").
func standardHeaders(method, version string, params []byte) http.Header {
	h := http.Header{}
	if param, named := revision.NameParam(method); named && revision.NameIsOptional(method) {
		h.Set("Mcp-Name", revision.HeaderValue(jsonrpc.Text(params, param)))
	}
	for _, name := range revision.Headers(revision.NewestStateless, http.MethodPost, method) {
		value := ""
		switch name {
		case "MCP-Protocol-Version":
			value = version
		case "Mcp-Method":
			value = method
		case "Mcp-Name":
			param, _ := revision.NameParam(method)
			value = jsonrpc.Text(params, param)
		}
		if value != "" {
			h.Set(name, revision.HeaderValue(value))
		}
	}
	return h
}
