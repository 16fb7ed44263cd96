package report

import "testing"

// Evidence of a log in JSON is what it says, and not its time.
func TestLogged(t *testing.T) {
	for line, want := range map[string]string{
		`{"timestamp":"2026-11-27T15:09:41.8Z","level":"ERROR","fields":{"message":"serde error expected value"},"target":"rmcp"}`: "ERROR: serde error expected value",
		`{"level":"error","ts":1795780830,"msg":"cannot bind"}`:                                                                    "error: cannot bind",
		`{"severity":"FATAL","time":"x","err":{"message":"no token"}}`:                                                             "FATAL: no token",
		`{"jsonrpc":"2.0"}`:        `{"jsonrpc":"2.0"}`,
		`Error: TOKEN must be set`: `Error: TOKEN must be set`,
		`{not json`:                `{not json`,
	} {
		if got := logged(line); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}
