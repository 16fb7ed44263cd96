package revision_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/transporttest"
)

// The transport sends the headers that the table wants, and no others that it
// knows.
func TestHeaders_SentByTransport(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20250326, revision.R20250618, revision.R20251125} {
		t.Run(string(r), func(t *testing.T) {
			for _, req := range requestsOf(t, r) {
				method := jsonrpc.Scan(req.body).MethodName(req.body)
				want := revision.Headers(r, req.verb, method)
				for _, name := range want {
					// A first stream goes on from nowhere.
					if len(req.header.Values(name)) == 0 && name != "Last-Event-ID" {
						t.Errorf("%s %s goes without %s", req.verb, method, name)
					}
				}
				for _, name := range []string{"Accept", "Content-Type", "Mcp-Session-Id", "Last-Event-ID", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
					if len(req.header.Values(name)) > 0 && !slices.Contains(want, name) {
						t.Errorf("%s %s goes with %s", req.verb, method, name)
					}
				}
			}
		})
	}
}

type request struct {
	verb   string
	header http.Header
	body   []byte
}

// requestsOf are the requests of a short connection: a handshake, a call, a
// stream, the end.
func requestsOf(t *testing.T, r revision.Revision) []request {
	t.Helper()
	seen := make(chan request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		switch {
		case req.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "a-session-of-the-test")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, jsonrpc.Scan(body).ID.Of(body))
		}
		seen <- request{req.Method, req.Header.Clone(), body}
	}))
	defer server.Close()
	c := mcphttp.NewStreamable(mcphttp.Config{URL: server.URL})
	if err := c.Open(t.Context(), transporttest.Discard{}); err != nil {
		t.Fatal(err)
	}
	found := make([]request, 0, 4)
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`,
	} {
		if err := c.Send(t.Context(), transport.Outgoing{Bytes: []byte(frame)}); err != nil {
			t.Fatal(err)
		}
		found = append(found, <-seen)
		c.Negotiated(string(r))
	}
	c.Listen()
	found = append(found, <-seen)
	if err := c.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return append(found, <-seen)
}

// What goes into Mcp-Name is a param that the method requires.
func TestNameParam_Required(t *testing.T) {
	for _, m := range revision.Methods(revision.R20260728, revision.Client) {
		param, named := revision.NameParam(m.Name)
		sent := revision.Headers(revision.R20260728, http.MethodPost, m.Name)
		if slices.Contains(sent, "Mcp-Name") != (named && !revision.NameIsOptional(m.Name)) || !slices.Contains(sent, "Mcp-Method") {
			t.Errorf("%s goes with %s", m.Name, strings.Join(sent, ", "))
		}
		required := func(p revision.Member) bool { return p.Name == param && p.Required }
		if named && !slices.ContainsFunc(m.ParamMembers(revision.R20260728), required) {
			t.Errorf("%s need not have %s", m.Name, param)
		}
	}
}

func TestDecodeHeaderValue(t *testing.T) {
	for _, text := range []string{"", "plain", "caf\u00e9", " padded ", "=?base64?eA==?=", "a\tb", "line\nbreak"} {
		if got, err := revision.DecodeHeaderValue(revision.HeaderValue(text)); err != nil || got != text {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
	for value, want := range map[string]string{
		"=?BASE64?eA==?=": "in lower case", "=?base64?e?=": "not Base64", "=?base64?/w==?=": "not UTF-8", "caf\u00e9": "must be sent as Base64",
	} {
		if got, err := revision.DecodeHeaderValue(value); got != value || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
}
