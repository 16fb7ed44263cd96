package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session"
)

// chatty TEXT starts a server over HTTP that sends an event with a text before the
// response to a call, and puts its URL into $URL.
func chatty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: chatty TEXT")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		result := `{"content":[{"type":"text","text":"done"}]}`
		w.Header().Set("Content-Type", "application/json")
		switch method := e.MethodName(body); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case e.Kind == jsonrpc.Notification:
			w.WriteHeader(http.StatusAccepted)
			return
		case method == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", args[0], e.ID.Of(body), result)
			return
		case method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
			return
		case method == "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, e.ID.Of(body), result)
	}))
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL)
}

// What info says of the session, for each transport.
func TestInfo_SessionWords(t *testing.T) {
	handshake, stateless := client.Handshake{Revision: revision.NewestHandshake}, client.Handshake{Revision: revision.NewestStateless}
	web := client.Target{URL: "http://a.example/mcp"}
	for want, f := range map[string]infoReport{
		"none: stdio": {target: client.Target{Argv: []string{"x"}}, transport: "stdio", state: session.State{Handshake: handshake}},
		"none: this protocol version has no sessions":      {target: web, transport: client.TransportHTTP, state: session.State{Handshake: stateless}},
		"none: the server sent no Mcp-Session-Id":          {target: web, transport: client.TransportHTTP, state: session.State{Handshake: handshake}},
		"the event stream: HTTP+SSE has no Mcp-Session-Id": {target: web, transport: client.TransportSSE, state: session.State{Handshake: handshake}},
		"abc…": {target: web, transport: client.TransportHTTP, state: session.State{Handshake: handshake, Session: "abc…"}},
	} {
		if got := sessionWords(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
