package failure

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/test/cputime"
	"mcptea/internal/test/raced"
	"mcptea/session/session"
)

// failures are errors of all kinds with untrusted text.
func failures(text string, n int) []error {
	status := &transport.StatusError{
		Method: "POST", URL: "http://127.0.0.1/" + text, Status: n, Body: []byte(text),
		Header: http.Header{"Location": {text}, "Www-Authenticate": {text}, "Retry-After": {text}, "Server": {text}},
	}
	timeout := &client.TimeoutError{Method: text, After: time.Second}
	rpc := &client.RPCError{Code: jsonrpc.CodeOf(int64(-32700 + n)), Message: text, Data: []byte(text)}
	return []error{
		errors.New(text), io.EOF, syscall.EPIPE, rpc, status, timeout,
		&client.TimeoutError{Method: firstOfNew}, &client.TimeoutError{Method: "GET"},
		fmt.Errorf("%w: %w", mcphttp.ErrSessionExpired, status),
		fmt.Errorf("net/http: malformed HTTP response %q", text),
		&stdio.ExitError{Code: n}, &stdio.ExitError{Signal: "SIGKILL"}, stdio.ErrStdoutClosed,
		&stdio.StartError{Command: text, Dir: text, Err: stdio.ErrNoDir},
		&stdio.StartError{Command: text, Near: text, Err: exec.ErrNotFound},
		&stdio.StartError{Command: text, Interpreter: text, Path: text, Err: os.ErrNotExist},
		&client.NoResponseError{Err: timeout, Head: []byte(text), At: n},
		&client.NoResponseError{Err: timeout, Head: []byte(text), WrongID: jsonrpc.IDOf(text)},
		&client.NoResponseError{Err: &stdio.ExitError{Code: n}, Head: []byte(text), WrongID: jsonrpc.IDOf(text)},
		&client.InvalidResponseError{ID: jsonrpc.IDOf(text), Near: []byte(text), At: n},
		&client.RevisionError{Offered: revision.NewestHandshake, Selected: text, Listed: []string{text}},
		&client.ResultError{Result: []byte(text)},
		&client.DiscoverError{Err: rpc, InitializeErr: rpc, Attempts: n},
		&client.FallbackError{Probe: status, HTTP: status, SSE: status},
		&mcphttp.ContentError{Method: "GET", URL: text, ContentType: text, Head: []byte(text), StreamOnly: n%2 == 0},
		&mcphttp.LostError{ID: jsonrpc.IDOf(text), Err: mcphttp.ErrNoAnswer},
		&mcphttp.LostError{ID: jsonrpc.IDOf(text), Err: fmt.Errorf("%w (%s)", mcphttp.ErrEmpty, text)},
		&mcphttp.LostError{ID: jsonrpc.IDOf(text), Err: mcphttp.ErrStreamUnanswered},
		&mcphttp.LostError{ID: jsonrpc.IDOf(text), Err: errors.New(text)},
		&mcphttp.FirstEventError{URL: text, Name: text, Head: []byte(text)},
		&mcphttp.OriginError{Server: text, Endpoint: text},
		&tls.CertificateVerificationError{Err: errors.New(text)},
	}
}

// around are facts in which the same text stands wherever a server has a say.
func around(text string, n int) Facts {
	lines := strings.Split(text, "\n")
	f := Facts{
		Connected: n%2 == 0, stderr: lines, Stray: lines, unmatched: lines[:n%2%len(lines)], late: text,
		environ: []string{"A=" + text}, detection: client.EraDetection{Era: revision.EraHandshake, Evidence: []string{text}},
		Steps:   []client.Step{{Name: client.StepFind, State: client.StepFailed, Detail: text}},
		Process: session.Process{PID: n, Path: text, Exited: time.Unix(int64(n%3), 0)},
	}
	switch n % 3 {
	case 0:
		f.target = client.Target{Argv: []string{text, text}, Dir: text, Env: []string{"PATH=" + text, text}}
	case 1:
		f.target = client.Target{URL: text, Header: http.Header{text: {text}}, Transport: client.TransportHTTP}
		f.exchange = transport.Exchange{Method: "POST", URL: text, Status: n, ResponseHeader: http.Header{"Content-Type": {text}, "Content-Encoding": {text}}}
	}
	return f
}

// safe checks that a terminal obeys nothing of an explanation that is not marked
// as foreign, and that what is repeated has its bounds.
func safe(t *testing.T, err error, e Explanation, all int) {
	t.Helper()
	ours := []string{e.Sentence, e.Cause(), e.Try()}
	for _, l := range e.Lines() {
		if !l.Foreign {
			ours = append(ours, l.Text)
		}
		if most := 8*all + 4096; len(l.Text) > most {
			t.Errorf("%T: a line labelled %q has %d bytes", err, l.Kind, len(l.Text))
		}
	}
	for _, text := range ours {
		if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }); i >= 0 {
			t.Errorf("%T: %q holds something that is not printable, at %d", err, text, i)
		}
	}
	if e.Sentence == "" || len(e.Sentence) > 4096 || len(e.Cause()) > 2048 || len(e.Try()) > 2048 {
		t.Errorf("%T: the sentence has %d bytes, the cause %d, the advice %d", err, len(e.Sentence), len(e.Cause()), len(e.Try()))
	}
}

// FuzzFailure explains whatever can fail, with whatever a server can write.
func FuzzFailure(f *testing.F) {
	for i, text := range []string{
		"", "\x1b]0;owned\a\u202e\xff", "Error: Cannot find module '\x1b[2J'", "npm error 404  'x\xff@*' is not in this registry.",
		"Server listening on http://localhost:3000/\u202emcp", "Content-Length: 12\n{\"jsonrpc\":\"2.0\"", "API_KEY is not set", "a\x00b\x00c\x00d\x00e\x00",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"\u001b"}}`, "sh: 1: %s: not found", "/login", "https://[::1", strings.Repeat("x", 5000),
	} {
		f.Add(text, i*100)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(0, n%1000)
		for _, err := range failures(text, n) {
			safe(t, err, Explain(err, around(text, n)), len(text))
			safe(t, err, Explain(err, Facts{}), len(text))
		}
	})
}

// TestTimeIsLinear checks that eight times the evidence takes no more than eight
// times as long, with a lot to spare for the machine. With MCPTEA_E2E the evidence is four times as long.
func TestTimeIsLinear(t *testing.T) {
	raced.Never(t, "measures time")
	took := func(size int) time.Duration {
		text := strings.Repeat("at Error missing API_KEY \\\"", size/26)
		facts, errs := around(text, 3), failures(text, 400)
		return cputime.Least(3, func() {
			for _, err := range errs {
				Explain(err, facts)
			}
		})
	}
	size := 1 << 10
	if os.Getenv("MCPTEA_E2E") == "1" {
		size = 1 << 12
	}
	took(size / 2)
	if small, large := took(size), took(8*size); large > 32*small+25*time.Millisecond {
		t.Errorf("%d bytes took %v, %d bytes %v", size, small, 8*size, large)
	}
}
