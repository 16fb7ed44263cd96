package client

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// member is a member of a JSON object with a raw value.
type member struct {
	name  string
	value []byte
}

// clientMeta returns the members of _meta that stateless requests carry (2026-07-28, basic,
// "_meta").
func (c *Client) clientMeta() (meta []member) {
	for _, m := range c.cfg.As.Meta() {
		meta = append(meta, member{m.Name, m.Value})
	}
	if meta == nil {
		meta = []member{
			{revision.MetaProtocolVersion, Params(revision.NewestStateless)},
			{revision.MetaClientInfo, c.clientInfo()},
			{revision.MetaClientCapabilities, c.statelessCapabilities()},
		}
	}
	if level := c.logLevel.Load(); level != nil && *level != "" {
		meta = append(meta, member{revision.MetaLogLevel, Params(*level)})
	}
	return meta
}

// clientInfo returns the name and version that the client sends.
func (c *Client) clientInfo() json.RawMessage {
	if profileInfo := c.cfg.As.ClientInfo(); profileInfo != nil {
		return profileInfo
	}
	return Params(map[string]string{"name": c.cfg.Name, "version": c.cfg.Version})
}

// SetLogLevel sets the log level that later stateless requests carry; an empty
// one requests no log messages (2026-07-28, server / utilities / logging).
// Connections with a handshake have logging/setLevel.
func (c *Client) SetLogLevel(level string) { c.logLevel.Store(&level) }

// WithMeta adds a member to the _meta of params, unless it has one with the name.
func WithMeta(params []byte, name string, value []byte) []byte {
	return withMeta(params, []member{{name, value}})
}

// withMeta adds members to the _meta of params. Existing members stay unchanged, byte for byte,
// and so do params or a _meta that are not objects.
func withMeta(params []byte, ours []member) []byte {
	if len(ours) == 0 {
		return params
	}
	if len(params) == 0 {
		params = []byte(`{}`)
	}
	meta, ok := jsonrpc.Member(params, "_meta")
	if !ok {
		return insert(params, []member{{"_meta", insert([]byte(`{}`), ours)}})
	}
	at := jsonrpc.SpanOf(params, meta)
	return slices.Concat(params[:at.Start], insert(meta, ours), params[at.End:])
}

// insert adds members to the front of an object, except members that it already has.
func insert(object []byte, ours []member) []byte {
	open := bytes.IndexByte(object, '{')
	if open < 0 || len(bytes.TrimSpace(object[:open])) > 0 {
		return object
	}
	has := map[string]bool{}
	for name := range jsonrpc.Members(object) {
		has[string(name)] = true
	}
	var added [][]byte
	for _, m := range ours {
		if !has[m.name] {
			added = append(added, slices.Concat(Params(m.name), []byte(":"), m.value))
		}
	}
	out := slices.Concat(object[:open+1], bytes.Join(added, []byte(",")))
	if len(added) > 0 && len(has) > 0 {
		out = append(out, ',')
	}
	return append(out, object[open+1:]...)
}

// requestHeaders returns the headers that mirror a message for intermediaries (2026-07-28, basic /
// transports, "Standard Request Headers"). The header of the protocol version must equal the
// version in _meta, so it is copied from there.
func (c *Client) requestHeaders(frame []byte, e jsonrpc.Envelope) http.Header {
	if e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Notification {
		return nil
	}
	method, params := e.MethodName(frame), e.Params.Of(frame)
	version := jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion)
	if !c.isStateless() && !revision.Revision(version).IsStateless() {
		return nil
	}
	h := standardHeaders(method, version, params)
	if method == "tools/call" {
		c.addParamHeaders(h, params)
	}
	return h
}

// without returns an object without some of its members; the others stay unchanged, byte for
// byte.
func without(object []byte, names ...string) []byte {
	out, cut := []byte{'{'}, false
	for name, value := range jsonrpc.Members(object) {
		if slices.Contains(names, string(name)) {
			cut = true
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, Params(string(name))...), ':'), value...)
	}
	if !cut {
		return object
	}
	return append(out, '}')
}
