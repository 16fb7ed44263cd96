package experiment_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// ask is a request as a scripted server sees it.
type ask struct {
	*http.Request
	body   []byte
	method string // of the message
	id     string
	n      int  // of the requests so far, from 1
	later  bool // it came after connecting had failed
}

// script responds to some requests; false leaves the request to the server that works.
type script func(w http.ResponseWriter, a ask) bool

// site is a scripted server.
type site struct {
	URL   string
	count atomic.Int32 // requests so far
	later atomic.Bool  // connecting has failed
}

func serve(t *testing.T, s script) *site {
	t.Helper()
	made := &site{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(made.count.Add(1))
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		a := ask{r, body, e.MethodName(body), e.ID.Of(body).String(), n, made.later.Load()}
		if !s(w, a) {
			works(w, a)
		}
	}))
	t.Cleanup(srv.Close)
	made.URL = srv.URL + "/mcp"
	return made
}

func (s *site) target() client.Target { return client.Target{URL: s.URL} }

// works is a server of the handshake era without sessions.
func works(w http.ResponseWriter, a ask) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case a.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case a.method == "":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	case a.id == "":
		w.WriteHeader(http.StatusAccepted)
	case a.method == "initialize":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"o","version":"1"}}}`, a.id)
	case a.method == "ping":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, a.id)
	case a.method == "tools/list":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, a.id)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, a.id)
	}
}

func reply(w http.ResponseWriter, status int, kind, body string, headers ...string) bool {
	w.Header().Set("Content-Type", kind)
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

func text(w http.ResponseWriter, status int, body string, headers ...string) bool {
	return reply(w, status, "text/plain", body, headers...)
}

func object(w http.ResponseWriter, status int, value any, headers ...string) bool {
	body, _ := json.Marshal(value)
	return reply(w, status, "application/json", string(body), headers...)
}

func refusal(code int, message string) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message}}
}
