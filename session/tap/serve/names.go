package serve

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// Hosts that share a process use the same ids and progress tokens. The server receives them as strings: the
// label of the session, a colon, and the JSON of the host.

// name returns the id or token of a host in the form that the server receives.
func (c *conversation) name(token jsonrpc.Token) jsonrpc.ID {
	return jsonrpc.StringID(c.label + ":" + string(token.Shown()))
}

// unname returns the reverse of name.
func unname(token []byte) jsonrpc.ID {
	text, _ := jsonrpc.Unquote(token)
	_, raw, _ := strings.Cut(text, ":")
	return jsonrpc.IDOf(raw)
}

// restored returns a frame of the server with a name in it as its host has sent it.
func (p *process) restored(frame, name []byte) []byte {
	if !p.common {
		return frame
	}
	return jsonrpc.SpanOf(frame, name).Replace(frame, unname(name).Bytes())
}
