package failure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/session/session"
)

var (
	command = client.Target{Argv: []string{"npx", "-y", "server", "--api-key", "hunter2"}, Dir: "/srv"}
	web     = client.Target{URL: "http://me:hunter2@example.com/mcp?token=hunter2"}
	started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// TestFailures checks what a reader must find in an explanation.
func TestFailures(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		facts Facts
		want  []string
	}{
		{
			"no command", &client.ConnectError{Step: client.StepFind, Err: &stdio.StartError{Command: "npx", Err: exec.ErrNotFound}},
			Facts{target: command},
			[]string{`"npx": executable file not found in $PATH`, "Install Node.js", "cwd       /srv"},
		},
		{"not a program", &stdio.StartError{Command: "./server.py", Err: syscall.ENOEXEC}, Facts{target: command}, []string{"exec format error", "python server.py"}},
		{"no such directory", &stdio.StartError{Command: "x", Err: errors.New("the working directory /nowhere is no directory")}, Facts{target: command}, []string{"/nowhere"}},
		{
			"exit", &client.ClosedError{Method: "initialize", Err: &stdio.ExitError{Code: 1, After: 1500 * time.Millisecond}},
			Facts{
				target: command, stderr: []string{"Error: API_KEY is not set"},
				Process: session.Process{PID: 7, ExitCode: 1, Started: started, Exited: started.Add(1500 * time.Millisecond)},
			},
			[]string{"exited with code 1 after 1.5 s, before responding to initialize", "server needs the environment variable \"API_KEY\"", "stderr    Error: API_KEY is not set", "-e API_KEY=VALUE", "pid 7, exited with code 1"},
		},
		{"silent exit", &stdio.ExitError{Code: 0}, Facts{target: command}, []string{"code 0", "help text"}},
		{
			"exit before a handshake, noticed by writing", &client.ConnectError{Step: client.StepInitialize, Err: &stdio.ExitError{Code: 3, After: time.Second}},
			Facts{Connected: true}, // an earlier connection was
			[]string{"exited with code 3 after 1 s"},
		},
		{
			"exit after the handshake", &client.ConnectError{Step: client.StepInitialized, Err: &stdio.ExitError{Code: 3}},
			Facts{target: command, stderr: []string{"panic: no kettle"}},
			[]string{`right after the initialize response: it reports "panic: no kettle"`},
		},
		{
			"reads nothing", &client.ConnectError{Step: client.StepInitialized, Err: fmt.Errorf("the server does not read its stdin: %w", context.DeadlineExceeded)},
			Facts{target: command},
			[]string{"requests are not delivered"},
		},
		{"launcher", &stdio.ExitError{Code: 127}, Facts{target: command}, []string{"may not have found its command"}},
		{"signal", &stdio.ExitError{Code: -1, Signal: "SIGSEGV"}, Facts{target: command}, []string{"terminated by SIGSEGV", "crash in native code"}},
		{
			"write before exit", &client.ConnectError{Err: fmt.Errorf("cannot write to the server's stdin: %w", syscall.EPIPE)},
			Facts{target: command, Process: session.Process{PID: 7, ExitCode: 9, Started: started, Exited: started.Add(time.Second)}},
			[]string{"exited with code 9 after 1 s"},
		},
		{"stdin closed", syscall.EPIPE, Facts{target: command}, []string{"closed its stdin"}},
		{"slow launcher", &client.TimeoutError{Method: "initialize", After: 5 * time.Second}, Facts{target: command}, []string{"after 5 s", "still be downloading", "--connect-timeout"}},
		{
			"help text", &client.NoResponseError{Err: &client.TimeoutError{Method: "initialize"}, Fault: jsonrpc.FaultNotJSON, Head: []byte("Usage: server [options]")},
			Facts{target: command},
			[]string{`did not respond to initialize: it wrote "Usage: server [options]" to stdout`, "printed a help text", "selects stdio"},
		},
		{
			"last words on stdout", &client.NoResponseError{Err: &client.ClosedError{Err: &stdio.ExitError{Code: 1}}, Fault: jsonrpc.FaultNotJSON, Head: []byte("Traceback")},
			Facts{target: command, Stray: []string{"Traceback", "TeaError: no tea"}},
			[]string{"exited with code 1", "it reports \"TeaError: no tea\"", "stdout    Traceback", "TeaError: no tea", "Fix the error shown on stdout"},
		},
		{
			"wrong id", &client.NoResponseError{Err: &client.TimeoutError{Method: "initialize"}, WrongID: jsonrpc.IDOf(`"1"`), Head: []byte(`{"id":"1"}`)},
			Facts{target: command, id: jsonrpc.IntID(1)},
			[]string{`A response with id "1" arrived in place of that to initialize, whose id is 1.`, `in its type as well: "1" is not 1.`},
		},
		{
			"revision", &client.RevisionError{Offered: "2025-11-25", Listed: []string{"2099-01-01", "2098-01-01"}},
			Facts{target: command},
			[]string{"offered   2025-11-25", "ours      2024-11-05, 2025-03-26", "theirs    2099-01-01, 2098-01-01"},
		},
		{"not found method", &client.RPCError{Code: jsonrpc.CodeOf(jsonrpc.CodeMethodNotFound), Message: "nope"}, Facts{target: command}, []string{`refused initialize with error -32601: "nope"`, "not an MCP server"}},
		{
			"405", &transport.StatusError{Method: "POST", URL: "http://example.com/", Status: 405, Header: http.Header{"Allow": {"GET"}}},
			Facts{target: web},
			[]string{"405 Method Not Allowed", "Allow: GET", "HTTP+SSE"},
		},
		{"expired", fmt.Errorf("%w: %w", mcphttp.ErrSessionExpired, &transport.StatusError{Method: "POST", Status: 404}), Facts{target: web, Connected: true}, []string{"session has expired", "Reconnect"}},
		{"self-signed", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, Facts{target: web}, []string{"x509: certificate signed by unknown authority"}},
		{"reset", fmt.Errorf("POST x: %w", syscall.ECONNRESET), Facts{target: web}, []string{"closed the connection"}},
		{
			"odd type", &client.TimeoutError{Method: "tools/call"},
			Facts{target: web, Connected: true, exchange: transport.Exchange{ID: 1, Status: 200, ResponseHeader: http.Header{"Content-Type": {"text/plain"}}}},
			[]string{`Content-Type "text/plain"`, "text/event-stream"},
		},
		{
			"neither way", &client.DiscoverError{Err: &client.RPCError{Code: jsonrpc.CodeOf(-32601), Message: "what?"}, InitializeErr: &client.RPCError{Code: jsonrpc.CodeOf(-32601), Message: "pardon?"}},
			Facts{target: command},
			[]string{`Both initialize and server/discover failed, the latter with error -32601: "what?"`, "pardon?", "neither era"},
		},
		{"no discovery", &client.DiscoverError{Err: &client.RPCError{Code: jsonrpc.CodeOf(-32601)}}, Facts{target: web, pinned: "2026-07-28"}, []string{"of the handshake era", "--protocol 2025-11-25"}},
		{"no versions", &client.DiscoverError{Err: client.ErrNoVersions}, Facts{target: web, pinned: "2026-07-28"}, []string{`no "supportedVersions"`, "--protocol 2025-11-25"}},
		{
			"capability", &client.DiscoverError{Err: &client.RPCError{Code: jsonrpc.CodeOf(-32021), Message: "no", Data: []byte(`{"requiredCapabilities":{"sampling":{}}}`)}},
			Facts{target: web},
			[]string{"refused server/discover with error -32021", "requiredCapabilities", "did not declare", "--answer"},
		},
		{
			"unknown revision", &client.RevisionError{Offered: "2025-11-25", Selected: "latest"},
			Facts{target: web},
			[]string{`selected protocol version "latest"`, "--lenient"},
		},
		{
			"refused without a list", &client.DiscoverError{Err: &client.RPCError{Code: jsonrpc.CodeOf(-32022), Message: "no"}},
			Facts{target: web},
			[]string{"refused server/discover with error -32022", "--protocol 2025-11-25"},
		},
		{
			"nothing at the URL", &client.FallbackError{
				Probe: &transport.StatusError{Method: "POST", URL: "http://example.com/", Status: 404, Body: []byte("no\ndiscovery")},
				HTTP:  &transport.StatusError{Method: "POST", URL: "http://example.com/", Status: 405, Body: []byte("no posting")},
				SSE:   &transport.StatusError{Method: "GET", URL: "http://example.com/", Status: 403, Body: []byte("no reading")},
			},
			Facts{target: web},
			[]string{"returned 405", "no posting", "POST http://example.com/ → 404 no discovery", "GET http://example.com/ → 403 no reading"},
		},
		{
			"a second probe that failed", &client.FallbackError{
				Probe: errors.New("no such method"),
				List:  &transport.StatusError{Method: "POST", URL: "http://example.com/", Status: 503, Body: []byte("busy")},
				HTTP:  &transport.StatusError{Method: "POST", URL: "http://example.com/", Status: 404},
				SSE:   &transport.StatusError{Method: "GET", URL: "http://example.com/", Status: 404},
			},
			Facts{target: web},
			[]string{"returned 404", "  list      POST http://example.com/ → 503 busy\n"},
		},
		{
			"busy for good", &client.DiscoverError{Err: &transport.StatusError{Method: "POST", Status: 503}, Attempts: 3},
			Facts{target: web},
			[]string{"returned 503", "tried     3 times"},
		},
		{
			"fails at what it does not know", &client.DiscoverError{Err: &transport.StatusError{Method: "POST", Status: 500}, Attempts: 3},
			Facts{target: web},
			[]string{"returned 500", "The status says that the server failed.", "Check the server's log."},
		},
		{
			"what led to the handshake", &client.RPCError{Code: jsonrpc.CodeOf(-32603), Message: "boom"},
			Facts{target: command, detection: client.EraDetection{Era: revision.EraHandshake, DetectedBy: client.EraProbed, Evidence: []string{"server/discover returned error -32601", "and so on"}}},
			[]string{"era       handshake: server/discover returned error -32601\n", "          and so on\n"},
		},
		{
			"other versions", &client.DiscoverError{Err: &client.RevisionError{Offered: "2026-07-28", Listed: []string{"2025-11-25"}}},
			Facts{target: web},
			[]string{"not 2026-07-28, the version of the request", "theirs    2025-11-25", "--protocol"},
		},
		{
			"text in place of discovery", &client.DiscoverError{Err: &client.NoResponseError{Err: &client.TimeoutError{Method: "server/discover"}, Head: []byte("usage:")}},
			Facts{target: command},
			[]string{`did not respond to server/discover: it wrote "usage:"`},
		},
		{"anything", errors.New("the dog ate it"), Facts{}, []string{"The dog ate it."}},
		{
			"call: timeout", &client.TimeoutError{Method: "tools/call", After: time.Minute},
			Facts{target: command, Connected: true},
			[]string{"Timed out after 60 s waiting for the tools/call response.\n", "It may be that the server is still working on it", "Raise --timeout"},
		},
		{
			"call: another id", &client.TimeoutError{Method: "tools/call", After: time.Minute},
			Facts{target: command, Connected: true, id: jsonrpc.IntID(3), unmatched: []string{`"7"`}},
			[]string{"Timed out after 60 s waiting for the tools/call response: responses with other ids arrived, the last one with \"7\"; the request has 3.\n", `other id  response id "7" matches no pending request`, "must equal that of its request.\n", "copies the id"},
		},
		{
			"call: known code", &client.RPCError{Code: jsonrpc.CodeOf(jsonrpc.CodeInvalidParams), Message: "a: required"},
			Facts{target: command, Connected: true},
			[]string{`The server answered with error -32602: "a: required".`, "does not accept these parameters"},
		},
		{
			"call: unknown code", &client.RPCError{Code: jsonrpc.CodeOf(-7), Message: "no"},
			Facts{target: command, Connected: true},
			[]string{`The server answered with error -7: "no".`},
		},
		{
			"call: the server ends", &client.ClosedError{Method: "tools/call", Err: &stdio.ExitError{Code: 3, After: time.Second}},
			Facts{target: command, Connected: true, stderr: []string{"Error: " + strings.Repeat("very ", 100) + "bad version."}},
			[]string{"exited with code 3 after 1 s, while a request was pending", `it reports "Error: very`, `bad version.".`},
		},
		{"call: server ends its stream", &client.ClosedError{Method: "tools/call", Err: mcphttp.ErrStreamEnded}, Facts{target: web, Connected: true}, []string{"the server closed the event stream", "timeouts of proxies"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := Explain(tt.err, tt.facts).Text()
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			if strings.Contains(text, "hunter2") {
				t.Errorf("a secret shows in\n%s", text)
			}
		})
	}
}

// TestOursIsSafe checks that a terminal obeys nothing of what is not marked as
// foreign.
func TestOursIsSafe(t *testing.T) {
	evil := "\x1b]0;owned\a\u202e\xff"
	facts := Facts{target: client.Target{Argv: []string{evil}, Dir: evil}, stderr: []string{evil}, Stray: []string{evil}, unmatched: []string{evil}}
	for _, err := range []error{
		errors.New(evil),
		&client.RPCError{Message: evil, Data: []byte(evil)},
		&client.RevisionError{Selected: evil, Listed: []string{evil}},
		&client.NoResponseError{Err: &client.TimeoutError{}, WrongID: jsonrpc.IDOf(evil), Head: []byte(evil)},
		&client.InvalidResponseError{ID: jsonrpc.IDOf(evil), Near: []byte(evil)},
		&transport.StatusError{URL: evil, Header: http.Header{"Www-Authenticate": {evil}}, Body: []byte(evil)},
		&mcphttp.ContentError{URL: evil, ContentType: evil, Head: []byte(evil)},
		&stdio.StartError{Command: evil, Err: exec.ErrNotFound},
		&client.TimeoutError{Method: evil},
	} {
		e := Explain(err, facts)
		ours := []string{e.Sentence, e.Cause(), e.Try()}
		for _, l := range e.Lines() {
			if !l.Foreign {
				ours = append(ours, l.Text)
			}
		}
		for _, text := range ours {
			if strings.ContainsAny(text, "\x1b\a\u202e\n") || strings.Contains(text, "\xff") {
				t.Errorf("%T: %q is not marked as foreign", err, text)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	e := Explain(&stdio.ExitError{Code: 1}, Facts{
		target: command, Process: session.Process{PID: 1, Path: "/usr/bin/npx"}, Stray: []string{"hello"}, stderr: []string{"oh"},
		Steps: []client.Step{{Name: client.StepFind, State: client.StepDone}, {Name: client.StepStart, State: client.StepFailed}, {Name: client.StepResponse}},
	})
	var labels []string
	for _, l := range e.Lines() {
		labels = append(labels, string(l.Kind))
	}
	want := "command path cwd steps steps process stdout stderr looked at try"
	if got := strings.Join(labels, " "); got != want {
		t.Errorf("lines are\n%s, want\n%s", got, want)
	}
}

func TestCommandLine_Typed(t *testing.T) {
	got := CommandLine([]string{"sh", "-c", "echo it's", "--token=hunter2", ""})
	if want := `sh -c 'echo it'\''s' --token=•••• ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Who has cancelled an attempt is not shown an error of Go.
func TestExplain_Cancelled(t *testing.T) {
	e := Explain(&client.ConnectError{Err: context.Canceled}, Facts{})
	if e.Sentence != "Connecting was cancelled. The server had not responded until then." {
		t.Errorf("%q", e.Sentence)
	}
}
