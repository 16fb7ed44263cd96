package relay

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// declared returns the response to c if that is initialize, as a line, with listChanged for each list that the server
// has and does not declare it for, and why; nothing for other responses. Hosts ignore notifications that
// were not declared, and the relay sends them itself. The caller holds the lock.
func (r *Relay) declared(c *call, f *transport.Frame) (sent []byte, why string) {
	if !r.Declares || f.Envelope.Kind != jsonrpc.Response || c == nil || c.method != "initialize" {
		return nil, ""
	}
	frame := bytes.Clone(f.Bytes)
	var names []string
	for _, list := range revision.Lists {
		if list.Changed == "" || slices.Contains(names, list.Needs) {
			continue
		}
		value := jsonrpc.Get(frame, "result", append([]string{"capabilities"}, list.Capability()...)...)
		if len(value) == 0 || value[0] != '{' || bytes.Equal(jsonrpc.Get(value, "listChanged"), []byte("true")) {
			continue
		}
		frame = replaceWithin(frame, value, withListChanged(value))
		names = append(names, list.Needs)
	}
	if names == nil {
		return nil, ""
	}
	return append(frame, '\n'), "mcptea declares listChanged for " + strings.Join(names, ", ") + ", and sends the notifications"
}

// withListChanged returns a capability that has listChanged, and otherwise the same members.
func withListChanged(capability []byte) []byte {
	out := jsonrpc.AppendMember([]byte("{"), "listChanged", []byte("true"))
	for name, value := range jsonrpc.Members(jsonrpc.Without(capability, "listChanged")) {
		out = jsonrpc.AppendMember(out, string(name), value)
	}
	return append(out, '}')
}
