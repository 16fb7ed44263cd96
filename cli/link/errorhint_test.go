package link

import (
	"os"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
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
