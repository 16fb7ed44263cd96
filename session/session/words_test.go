package session

import (
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
)

// What is said of the session, for each transport.
func TestState_SessionWords(t *testing.T) {
	handshake, stateless := client.Handshake{Revision: revision.NewestHandshake}, client.Handshake{Revision: revision.NewestStateless}
	for want, st := range map[string]State{
		"none: stdio": {Transport: "stdio", Handshake: handshake},
		"none: this protocol version has no sessions":      {Transport: client.TransportHTTP, Handshake: stateless, Session: "stray"},
		"none: the server sent no Mcp-Session-Id":          {Transport: client.TransportHTTP, Handshake: handshake},
		"the event stream: HTTP+SSE has no Mcp-Session-Id": {Transport: client.TransportSSE, Handshake: handshake},
		"abc…": {Transport: client.TransportHTTP, Handshake: handshake, Session: "abc…"},
	} {
		if got := st.SessionWords(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
