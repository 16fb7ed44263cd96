package checks

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client"
)

// A check that cannot connect once says so, and nothing about a URL or about what the server
// has not written: neither was seen.
func TestWorksAgain(t *testing.T) {
	e := worksAgain(client.Target{Argv: []string{"node", "server.js"}}, errors.New("initialize got no response within 30 s"))
	if e.Sentence != `Connecting failed with "initialize got no response within 30 s", and worked at the second attempt.` {
		t.Error(e.Sentence)
	}
	if cause := e.Cause(); strings.Contains(cause, "URL") || !strings.Contains(cause, "may") || e.Strength() != "hints" {
		t.Errorf("%q, which %s", cause, e.Strength())
	}
}
