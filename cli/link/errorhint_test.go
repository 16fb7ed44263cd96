package link

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// What SDKs write for a capability that mcptea was not told to offer names the flag.
func TestCapabilityHint(t *testing.T) {
	for text, want := range map[string]string{
		"Client does not support form elicitation.":                   "--answer elicitation=",
		"Client does not support url elicitation.":                    "--answer elicitation=",
		"Client does not support sampling (required for createMsg)":   "--answer sampling=",
		"Client does not support listing roots (required for …)":      "--root DIR",
		`"elicitation" is no capability that the client has declared`: "--answer elicitation=",
		"The elicitation was declined.":                               "",
		"unsupported operand":                                         "",
		"sampling failed":                                             "",
	} {
		p := New(settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)))
		if got := p.capabilityHint(text); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	p := New(settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)))
	p.Flags.Answers, p.Flags.Sampler = []string{"elicitation=decline"}, "cat"
	for _, text := range []string{"Client does not support form elicitation.", "Client does not support sampling."} {
		if got := p.capabilityHint(text); got != "" {
			t.Errorf("%q, which is offered: %q", text, got)
		}
	}
}

// An error response is printed with its data and with what to do, and has the exit code of a failure.
func TestOutcome_ErrorResponse(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		lines []string
		hint  string
	}{
		"data": {
			&client.RPCError{Code: jsonrpc.CodeOf(-32602), Message: "bad cup", Data: []byte(`{"cup":"blue"}`)},
			[]string{"mcptea: ", `  data {"cup":"blue"}`},
			"",
		},
		"unsupported capability": {
			&client.RPCError{Code: jsonrpc.CodeOf(revision.CodeMissingCapability), Message: "missing", Data: []byte(`{"requiredCapabilities":{"apps":{},"tea":{}}}`)},
			[]string{"mcptea: ", `  data {"requiredCapabilities":{"apps":{},"tea":{}}}`, "  try The server"},
			"The server requires the client capability apps and tea, which mcptea does not support.",
		},
		"capability": {
			&client.RPCError{Code: jsonrpc.CodeOf(revision.CodeMissingCapability), Message: "missing", Data: []byte(`{"requiredCapabilities":{"sampling":{},"elicitation":{}}}`)},
			[]string{"mcptea: ", "  data ", "  try Declare it"},
			"Declare it with --answer sampling=… and --answer elicitation=… (decline, cancel, error, @file.json or JSON), or use the inspector.",
		},
		"page": {
			&client.RPCError{Code: jsonrpc.CodeOf(revision.CodeURLElicitationRequired), Message: "log in", Data: []byte(`{"elicitations":[{"url":"https://a.example/1"},{"url":2},{"url":"https://a.example/2"}]}`)},
			[]string{"mcptea: ", "  data ", "  try Open the page"},
			"Open the page and call again: https://a.example/1 https://a.example/2",
		},
	} {
		var b bytes.Buffer
		p := New(settings.New(&app.App{Ctx: t.Context(), Err: &app.Screen{Writer: &b}}))
		err, ok := errors.AsType[*app.Error](p.Outcome(nil, tt.err))
		if !ok || err.Code != app.ExitError || err.Document.Try != tt.hint || !strings.HasSuffix(b.String(), tt.hint+"\n") {
			t.Errorf("%s: %+v, stderr has %q, want %q", name, err, &b, tt.hint)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for i, want := range tt.lines {
			if len(lines) != len(tt.lines) || !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: %q, want %q", name, lines, tt.lines)
				break
			}
		}
	}
}

// An error is one sentence.
func TestSentenceOf(t *testing.T) {
	if got, want := SentenceOf(errors.New("the kettle is cold")), "The kettle is cold."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
