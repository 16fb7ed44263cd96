//go:build unix

package failure_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"mcptea/client"
)

// decided are failures whose cause a fact decides: the exit code, the user, what the server has written, and the
// token that was sent.
var decided = register([]broken{
	{
		name: "a program that is not executable", child: exitsWith("sh: 1: mcp-server-tea: Permission denied", 126),
		sentence: `The server process exited with code 126 ⋯: it reports "sh: 1: mcp-server-tea: Permission denied".`,
		cause:    "Exit code 126: a shell or a launcher found its command", try: "chmod +x", absent: []string{"the user that mcptea runs as"},
	},
	{
		name: "a file that is not readable", child: exitsWith("Error: cat: /root/.kube/config: Permission denied", 1),
		sentence: `The server process exited with code 1 ⋯: it reports "Error: cat: /root/.kube/config: Permission denied".`,
		cause:    "the user that mcptea runs as has no access", try: "Look at the owner",
	},
	{
		name: "settings without values", child: exitsWith("pydantic_core._pydantic_core.ValidationError: 2 validation errors for Settings\ndebug\n  Field required [type=missing]", 1),
		sentence: `The server process exited with code 1 ⋯: it reports "pydantic_core._pydantic_core.ValidationError: 2 validation errors for Settings: debug: Field required".`,
		cause:    "The settings of the server", try: "pin the version of the library", absent: generic,
	},
	{
		name: "a native exception of .NET", child: exitsWith("Unhandled exception. System.DllNotFoundException: Dll was not found.\n   at Interop.Kernel32.GetStdHandle(Int32 nStdHandle)", 134),
		sentence: `The server process exited with code 134 ⋯: it reports "Unhandled exception. System.DllNotFoundException: Dll was not found.".`,
		cause:    "A native library (DLL) of the server was not found", try: "for this system and processor", absent: generic,
	},
	{
		name: "a server of Spring without its stdio mode", within: noReply, child: func() {
			fmt.Fprintln(os.Stderr, "2026-08-12T10:00:04.100  INFO 4711 --- [main] a.m.McpServerApplication : Started McpServerApplication in 4.0 seconds (process running for 4.5)")
			time.Sleep(time.Hour)
		},
		sentence: shown(`Timed out after ⋯ waiting for the initialize response: it has written "2026-08-12T10:00:04.100 ⋯", and has not read the request.`, `Timed out after ⋯`),
		cause:    shown("does not read its stdin: its stdio mode may be off", ""), try: shown("spring.ai.mcp.server.stdio=true", ""), absent: []string{"raise --connect-timeout"},
	},
	{
		name: "a token of another issuer", target: withToken(challenged(`Bearer error="invalid_token", error_description="The issuer 'https://login.test/7f3/v2.0' is invalid"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it does not accept the issuer of the token.",
		cause:    "another authorization server or tenant", try: "mcptea auth steps", absent: []string{"Send another token"},
	},
	{
		name: "a token for another resource", target: withToken(challenged(`Bearer error="invalid_token", error_description="Audience validation failed"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it does not accept the audience of the token.",
		cause:    "for another resource than this server", try: "Get a token for the URL of this server",
	},
	{
		name: "a token that is refused without a reason", target: withToken(challenged(`Bearer error="invalid_token"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it requires authorization.",
		cause:    "The server does not accept the credentials", try: "Send another token", absent: []string{"issuer", "audience"},
	},
})

// exitsWith writes lines to stderr and exits.
func exitsWith(lines string, code int) func() {
	return func() {
		_, _ = io.WriteString(os.Stderr, lines+"\n")
		os.Exit(code)
	}
}

// challenged refuses each request with a challenge.
func challenged(challenge string) http.HandlerFunc {
	return replies(http.StatusUnauthorized, "application/json", `{"error":"unauthorized"}`, "WWW-Authenticate", challenge)
}

// withToken is a server to which a token is sent.
func withToken(answer http.HandlerFunc) func(*testing.T) client.Target {
	return over(serves(answer), func(t *client.Target) {
		t.Header = http.Header{"Authorization": {"Bearer t0k-t0k-t0k"}}
	})
}
