//go:build unix

package failure_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"mcptea/client"
)

// withoutSession serves a handler whose responses have no Mcp-Session-Id.
func withoutSession(h http.HandlerFunc) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) { h(uncreated{w}, r) })
}

// uncreated is a response without Mcp-Session-Id.
type uncreated struct{ http.ResponseWriter }

func (n uncreated) WriteHeader(status int) {
	n.Header().Del("Mcp-Session-Id")
	n.ResponseWriter.WriteHeader(status)
}

func (n uncreated) Write(b []byte) (int, error) {
	n.Header().Del("Mcp-Session-Id")
	return n.ResponseWriter.Write(b)
}

// jwt is a token with these claims, without a valid signature.
func jwt(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"RS256"}`)) + "." + part([]byte(claims)) + ".c2ln"
}

// refusedToken is a server that refuses the token of a request.
func refusedToken(claims, challenge, body string) func(*testing.T) client.Target {
	return over(serves(replies(http.StatusUnauthorized, "application/json", body, "WWW-Authenticate", challenge)), func(t *client.Target) {
		t.Header = http.Header{"Authorization": {"Bearer " + jwt(claims)}}
	})
}

// inKinds are failures whose message, or a fact beside it, says more than their status.
var inKinds = []broken{
	{
		name: "no session id with initialize", target: withoutSession(old(replies(400, "application/json", rpcError(-32600, "Bad Request: Missing session ID", `"server-error"`)))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Bad Request: Missing session ID".`,
		cause:    "The response to initialize had no Mcp-Session-Id", try: "pass Mcp-Session-Id on, in responses", absent: []string{"express.json"},
	},
	{
		name: "no session id, another server", target: withoutSession(old(replies(404, "text/plain", "No valid session"))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 404 Not Found: it reports "No valid session".`,
		cause:    "The response to initialize had no Mcp-Session-Id", try: "or require none", absent: []string{"Common paths"},
	},
	{
		name: "no session id, a validator", target: withoutSession(old(replies(422, "application/json", `{"detail":"session id is required"}`))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 422 Unprocessable Entity: it reports "session id is required".`,
		cause:    "The response to initialize had no Mcp-Session-Id", try: "pass Mcp-Session-Id on",
	},
	{
		name: "a token that is refused without a reason", target: refusedToken(`{"iss":"https://a.test","aud":"client-1","exp":4102444800}`, `Bearer error="invalid_token"`, `{"error":"invalid_token","error_description":"Token verification failed"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "invalid_token: Token verification failed".`,
		cause:    "it has the audience client-1 and the issuer https://a.test", try: "the id of the client as the audience", absent: []string{"had no credentials"},
	},
	{
		name: "a token without an audience", target: refusedToken(`{"iss":"https://a.test","exp":4102444800}`, `Bearer`, `{"message":"rejected by the guard"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "rejected by the guard".`,
		cause:    "it has no audience and the issuer https://a.test", try: "Compare these",
	},
	{
		name: "an expired token", target: refusedToken(`{"iss":"https://a.test","aud":"client-1","exp":1}`, `Bearer`, `{"message":"rejected by the guard"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "rejected by the guard".`,
		cause:    "the message is the reason that it gives", try: "Send another token", absent: []string{"has not expired"},
	},
	{
		name: "a proxy whose server ends the connection", target: calledWith(replies(503, "text/plain", "upstream connect error or disconnect/reset before headers. reset reason: connection termination", "Server", "istio-envoy")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 503 Service Unavailable: it reports "upstream connect error or disconnect/reset before headers. reset reason: connection termination"; 3 earlier messages were accepted.`,
		cause:    "the server ended it before it responded", try: "Look at the log of the server at this moment.",
	},
	{
		name: "a library that refuses a member", target: serves(replies(400, "application/json", `{"stackTrace":[],"message":"Invalid message format"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Invalid message format".`,
		cause:    "its MCP library is older or stricter", try: "Update the MCP library of the server",
	},
	{
		name: "words beside a status for credentials", target: serves(replies(403, "application/json", `{"message":"SAML enforcement: single sign-on required for this organization"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "SAML enforcement: single sign-on required for this organization".`,
		cause:    "The organization requires another sign-in", try: "authorize the token", absent: []string{"Origin or the Host"},
	},
	{
		name: "a panic of Rust", child: func() {
			fmt.Fprintln(os.Stderr, "thread 'main' panicked at src/main.rs:12:34:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace")
			os.Exit(101)
		}, within: 20 * time.Second,
		sentence: "The server process exited with code 101 after ⋯, before responding to initialize: it reports \"thread 'main' panicked at src/main.rs:12:34: called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \\\"No such file or directory\\\" }\".",
		cause:    `A call of the system failed ("NotFound")`, try: "the line of its source", absent: []string{"a fault of the program, and not"},
	},
}

var _ = register(inKinds)
