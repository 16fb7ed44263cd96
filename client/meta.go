package client

import (
	"bytes"
	"net/http"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// member is one of a JSON object, its value raw.
type member struct {
	name  string
	value []byte
}

// clientMeta is what each request says where there is no handshake
// (2026-07-28, basic, "_meta").
func (c *Client) clientMeta() []member {
	says := []member{
		{revision.MetaProtocolVersion, Params(revision.NewestModern)},
		{revision.MetaClientInfo, Params(map[string]string{"name": c.cfg.Name, "version": c.cfg.Version})},
		{revision.MetaClientCapabilities, c.statelessCapabilities()},
	}
	if level := c.logLevel.Load(); level != nil && *level != "" {
		says = append(says, member{revision.MetaLogLevel, Params(*level)})
	}
	return says
}

// SetLogLevel has each later request ask for log messages from a level on,
// where there is no handshake; an empty one asks for none (2026-07-28, server /
// utilities / logging). With a handshake there is logging/setLevel.
func (c *Client) SetLogLevel(level string) { c.logLevel.Store(&level) }

// withMeta puts members into the _meta of params. What is there already stays
// as it is, byte for byte; params or a _meta that are no objects stay, too.
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
	// The value is a part of params, so that its capacity tells where it is.
	at := cap(params) - cap(meta)
	return bytes.Join([][]byte{params[:at], insert(meta, ours), params[at+len(meta):]}, nil)
}

// insert puts those members in front of an object that it does not have.
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

// requestHeaders returns the headers that repeat what a message says, so that who
// passes it on need not read it (2026-07-28, basic / transports, "Standard
// Request Headers"). A message that somebody wrote by hand decides by its _meta which
// revision it is of; the header must say the same.
func (c *Client) requestHeaders(frame []byte, e jsonrpc.Envelope) http.Header {
	if e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Notification {
		return nil
	}
	method, params := e.MethodName(frame), e.Params.Of(frame)
	says := text(params, "_meta", revision.MetaProtocolVersion)
	if !c.modern.Load() && !revision.Revision(says).IsModern() {
		return nil
	}
	h := http.Header{}
	for _, name := range revision.Headers(revision.NewestModern, http.MethodPost, method) {
		value := ""
		switch name {
		case "MCP-Protocol-Version":
			value = says
		case "Mcp-Method":
			value = method
		case "Mcp-Name":
			param, _ := revision.NameParam(method)
			value = text(params, param)
		}
		if value != "" {
			h.Set(name, revision.HeaderValue(value))
		}
	}
	if method == "tools/call" {
		c.addParamHeaders(h, params)
	}
	return h
}

// without is an object that lacks some of its members; the others stay as they
// are, byte for byte.
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
