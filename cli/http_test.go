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
	s := httptest.NewServer(overHTTP(func(w http.ResponseWriter, method, id string) (string, bool) {
		const result = `{"content":[{"type":"text","text":"done"}]}`
		if method == "tools/call" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", args[0], id, result)
		}
		return result, method == "tools/call"
	}))
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL)
}

// overHTTP is a server of 2025-11-25 over HTTP, whose requests but initialize get the result that answer returns, unless
// it has written the response itself.
func overHTTP(answer func(w http.ResponseWriter, method, id string) (result string, written bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		method, id := e.MethodName(body), e.ID.Of(body).String()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case e.Kind == jsonrpc.Notification:
			w.WriteHeader(http.StatusAccepted)
			return
		case method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		result, written := answer(w, method, id)
		if written {
			return
		}
		if method == "initialize" {
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
}
