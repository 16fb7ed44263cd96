package probes

import (
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// requests are the methods of the server's requests that need a capability of the
// client.
var requests = map[string]bool{"roots/list": true, "sampling/createMessage": true, "elicitation/create": true}

// connect does a handshake with some capabilities.
func connect(r *probe.Run, capabilities string) *probe.Conn {
	c := r.Open()
	o := r.Ask(c, "initialize", jsonrpc.AppendRequest(nil, c.ID(), "initialize", []byte(`{"protocolVersion":"`+string(r.Server.Revision)+
		`","capabilities":`+capabilities+`,"clientInfo":{"name":"mcptea","version":"1"}}`)))
	v := jsonrpc.Text(o.Result(), "protocolVersion")
	if r.SkipIf(v == "", "initialize fails") {
		return c
	}
	c.UseRevision(revision.Revision(v))
	_ = c.Notify(r.Context(), "notifications/initialized", "") // the next request shows a failure
	return c
}

func caplessClient(r *probe.Run) {
	c := connect(r, "{}")
	for _, kind := range client.ListKinds {
		if r.Server.Has(kind.Needs) {
			r.Ask(c, kind.Method, jsonrpc.AppendRequest(nil, c.ID(), kind.Method, nil))
		}
	}
	subjects := r.Callables()
	for _, s := range subjects[:min(len(subjects), 3)] {
		r.Exchange(c, "a call of "+s.Name, s.Name, jsonrpc.AppendRequest(nil, c.ID(), "tools/call", []byte(`{"name":`+probe.JSON(s.Name)+`,"arguments":`+s.Arguments+`}`)))
	}
	r.Sleep(500 * time.Millisecond)
	for _, f := range c.Take() {
		e := jsonrpc.Scan(f.Bytes)
		if method := e.MethodName(f.Bytes); e.Kind == jsonrpc.Request && requests[method] {
			severity := lint.Warn
			if r.Since(revision.R20250618) {
				severity = lint.Error
			}
			r.With(severity, []probe.Frame{f}, "The server sends %s to a client that does not declare the capability.", method)
		}
	}
}

func oddAnswers(r *probe.Run) {
	c := connect(r, `{"roots":{"listChanged":true}}`)
	r.Sleep(300 * time.Millisecond) // the server may ask for the roots
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":987654321,"result":{}}`,
		`{"jsonrpc":"2.0","id":987654322,"error":{"code":-1,"message":"refused"}}`,
		`{"jsonrpc":"2.0","id":987654321,"result":{"roots":[{"uri":"http://x"}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	} {
		r.Provoke(c, "a response that no request of the server has, and notifications/roots/list_changed", []byte(frame))
	}
	if p := r.Ask(c, "ping after odd responses", jsonrpc.AppendRequest(nil, c.ID(), "ping", nil)); p.IsRefusal() {
		r.Error("After odd responses, ping returns %s.", probe.Describe(p))
	}
}

func callsBack(r *probe.Run) {
	c := connect(r, `{"roots":{"listChanged":true}}`)
	r.Sleep(500 * time.Millisecond)
	seen := map[string]bool{}
	for _, f := range c.Take() {
		e := jsonrpc.Scan(f.Bytes)
		if e.Kind != jsonrpc.Request {
			continue
		}
		id := string(e.ID.Of(f.Bytes))
		if e.IDType != jsonrpc.IDString && e.IDType != jsonrpc.IDInteger {
			r.With(lint.Error, []probe.Frame{f}, "The server sends %s with the id %s; ids are strings or integers.", e.MethodName(f.Bytes), id)
		}
		if seen[id] {
			r.With(lint.Error, []probe.Frame{f}, "The server uses the id %s for two requests.", id)
		}
		seen[id] = true
	}
	if r.SkipIf(len(seen) == 0, "the server sends no request") {
		return
	}
}
