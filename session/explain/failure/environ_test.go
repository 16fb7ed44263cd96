package failure

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client"
)

// A value that the user has given as a secret is masked whole, also where a part of it looks like one.
func TestEvidence_PrivateValuesAreMaskedWhole(t *testing.T) {
	const value = "https://u:invented4711@host.test/path-of-mine"
	env := CompareEnv([]string{"A=1"}, client.Target{Argv: []string{"x"}, Env: []string{"A=1", "PLACE=" + value}, Private: []string{value}})
	headers := HeaderLines(client.Target{Header: http.Header{"X-Place": {"to " + value}}, Private: []string{value}})
	for _, text := range append(headers, env) {
		if strings.Contains(text, "host.test") || strings.Contains(text, "path-of-mine") || !strings.Contains(text, "•••") {
			t.Errorf("it is shown: %s", text)
		}
	}
	if got := CompareEnv([]string{"A=1"}, client.Target{Argv: []string{"x"}, Env: []string{"A=1", "B=2"}}); got != "+1 -0   B=2" {
		t.Error(got)
	}
}
