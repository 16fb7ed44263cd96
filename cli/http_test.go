package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"mcptea/client/jsonrpc"
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
