package peer

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/revision"
	"mcptea/internal/server/rpcserver"
)

// The transport of 2026-07-28: each POST is independent, and no state is kept between two of them.

// httpEra decides which requests over HTTP have a session.
type httpEra struct {
	server *Server
	// gateway imitates a gateway for stdio servers, which does not route server/discover, and routes requests
	// without a session to its single session with the server.
	gateway bool
}

// hello is the message with which the gateway starts its session with the server.
const hello = `{"jsonrpc":"2.0","id":"gateway","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"gateway","version":"1"}}}`

// onlyPOST reports whether a request other than POST is from a client that should not need it.
func (e httpEra) onlyPOST(r *http.Request) bool {
	return e.server.Era == ModernOnly ||
		e.server.Era == BothEras && r.Header.Get(rpcserver.SessionHeader) == "" && r.Header.Get(rpcserver.VersionHeader) == string(revision.R20260728)
}

// route decides whether a body is stateless, starts a session, or belongs to one.
func (e httpEra) route(r *http.Request, frame []byte, envelope jsonrpc.Envelope) (rpcserver.Route, *rpcserver.Refusal) {
	if e.standsAlone(r, frame, envelope) {
		return rpcserver.Alone, e.refuseAlone(r, frame, envelope)
	}
	id, method := envelope.ID.Of(frame).ID(), envelope.MethodName(frame)
	switch {
	case e.gateway && method == "server/discover":
		return 0, &rpcserver.Refusal{Status: http.StatusNotFound, ID: id, Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
	case r.Header.Get(rpcserver.SessionHeader) != "", envelope.Kind != jsonrpc.Request:
		return rpcserver.InSession, nil
	case method == "initialize":
		return rpcserver.NewSession, nil
	case e.gateway:
		return rpcserver.Shared, nil
	case !KnowsMethod(method):
		return 0, &rpcserver.Refusal{Status: http.StatusBadRequest, ID: id, Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
	}
	return 0, &rpcserver.Refusal{Status: http.StatusBadRequest, ID: id, Message: rpcserver.NoSession}
}

// standsAlone decides the era of a body. It uses the body, and the headers only if the body does not determine
// the era.
func (e httpEra) standsAlone(r *http.Request, frame []byte, envelope jsonrpc.Envelope) bool {
	switch {
	case e.server.Era != BothEras:
		return e.server.Era == ModernOnly
	case StandsAlone(envelope.MethodName(frame), envelope.Params.Of(frame)):
		return true
	case r.Header.Get(rpcserver.SessionHeader) != "", envelope.MethodName(frame) == "initialize":
		return false
	case r.Header.Get(methodHeader) != "":
		return true
	}
	version := r.Header.Get(rpcserver.VersionHeader)
	return version != "" && !revision.Revision(version).HasHandshake()
}

// refuseAlone returns why a stateless body is rejected, or nil. The headers of a request must match its
// body. A handshake sent here by mistake lacks them, and another version may have others.
func (e httpEra) refuseAlone(r *http.Request, frame []byte, envelope jsonrpc.Envelope) *rpcserver.Refusal {
	if refusal := RefuseAlone(r, frame, envelope, e.server.SchemaOf); refusal != nil || envelope.Kind != jsonrpc.Request {
		return refusal
	}
	method := envelope.MethodName(frame)
	// Any bearer token is a principal.
	webhook := method == revision.EventsSubscribe || method == revision.EventsUnsubscribe
	if webhook && e.server.Events.Post != nil && !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		id := envelope.ID.Of(frame).ID()
		return &rpcserver.Refusal{Status: http.StatusOK, ID: id, Code: int64(revision.EventForbidden.Code), Message: "a webhook needs an authenticated principal: any bearer token"}
	}
	return nil
}

// RefuseAlone returns why a stateless request is rejected before a server reads it, or nil: its body is not one
// message, or its headers differ from its body. schemaOf returns the input schema of a tool, or nil if it is
// unknown.
func RefuseAlone(r *http.Request, frame []byte, envelope jsonrpc.Envelope, schemaOf func(tool string) []byte) *rpcserver.Refusal {
	if envelope.Kind == jsonrpc.Batch || envelope.Kind.IsResponse() {
		return &rpcserver.Refusal{Status: http.StatusBadRequest, Message: "the body must be one request or one notification"}
	}
	method, params := envelope.MethodName(frame), envelope.Params.Of(frame)
	version := jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion)
	if envelope.Kind != jsonrpc.Request || method == "initialize" && !StandsAlone(method, params) ||
		version != "" && version != string(revision.R20260728) && version == r.Header.Get(rpcserver.VersionHeader) {
		return nil
	}
	if err := compareHeaders(r.Header, method, params, schemaOf(jsonrpc.Text(params, "name"))); err != nil {
		id := envelope.ID.Of(frame).ID()
		return &rpcserver.Refusal{Status: http.StatusBadRequest, ID: id, Code: revision.CodeHeaderMismatch, Message: err.Error()}
	}
	return nil
}

// compareHeaders compares the headers of a request with its method and params. schema is
// the input schema of the tool that is called, if it is one.
func compareHeaders(h http.Header, method string, params, schema []byte) error {
	if h.Get(rpcserver.VersionHeader) == "" {
		return fmt.Errorf("the header %s is missing", rpcserver.VersionHeader)
	}
	version, _ := jsonrpc.Member(params, "_meta", revision.MetaProtocolVersion)
	if err := compare(h, rpcserver.VersionHeader, version); len(version) > 0 && err != nil {
		return err
	}
	if err := compare(h, methodHeader, []byte(jsonrpc.Quote(method))); err != nil {
		return err
	}
	if param, ok := revision.NameParam(method); ok && (h.Get("Mcp-Name") != "" || !revision.NameIsOptional(method)) {
		value, _ := jsonrpc.Member(params, param)
		if err := compare(h, "Mcp-Name", value); err != nil {
			return err
		}
	}
	if method != "tools/call" {
		return nil
	}
	mirrored, err := paramheader.Read(schema)
	if err != nil {
		return err
	}
	arguments, _ := jsonrpc.Member(params, "arguments")
	for _, p := range mirrored {
		value, _ := jsonrpc.Member(arguments, p.Path[0], p.Path[1:]...)
		if string(value) == "null" {
			value = nil
		}
		if err := compare(h, paramheader.Prefix+p.Header, value); err != nil {
			return err
		}
	}
	return nil
}

// compare compares a header with a value of the body, which is JSON, or empty if the body has none: strings and
// booleans literally, numbers by value.
func compare(h http.Header, name string, value []byte) error {
	got := h.Values(name)
	switch {
	case len(got) == 0 && len(value) == 0:
		return nil
	case len(got) == 0:
		return fmt.Errorf("the header %s is missing; the body says %s", name, value)
	case len(got) > 1:
		return fmt.Errorf("the header %s was sent %d times", name, len(got))
	case len(value) == 0:
		return fmt.Errorf("the header %s is %q; the body has no such thing", name, got[0])
	}
	text := got[0]
	if name != rpcserver.VersionHeader && name != methodHeader {
		var err error
		if text, err = revision.DecodeHeaderValue(text); err != nil {
			return fmt.Errorf("the header %s is %q: %w", name, text, err)
		}
	}
	want, ok := jsonrpc.Unquote(value)
	a, errA := strconv.ParseFloat(text, 64)
	b, errB := strconv.ParseFloat(string(value), 64)
	if ok && want == text || !ok && (string(value) == text || errA == nil && errB == nil && a == b) {
		return nil
	}
	return fmt.Errorf("the header %s is %q; the body says %s", name, text, value)
}
