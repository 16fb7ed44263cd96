//go:build unix

package cli

import (
	"testing"

	"mcptea/internal/test/raced"
)

// TestSecrets_Screen visits the tabs of an inspector whose server has secrets in
// its command line and environment, connected and not.
func TestSecrets_Screen(t *testing.T) {
	raced.ByNight(t, "an inspector on each tab, which the tests of inspectors race too")
	arguments := []string{
		"--api-key", "pl4nted-0pti0n", "--token=pl4nted-token", "ghp_PLANTED0123456789abcdef", "-p", "pl4ntedshort",
		"--connection-string", "Server=x;Password=pl4nted-conn", "https://u:pl4nted-pass@h/PLANTEDpath0123456789abcdEFG?key=pl4nted-query",
	}
	for name, c := range map[string]struct {
		script, shows   string
		problem, server string // what the Problems and the Server tab show in the end; empty: not awaited
	}{
		"connected":     {"exec mcptea demo --serve", "mcptea-demo", "", "the server offers"},
		"not connected": {`echo "refused: $PASSED_TOKEN $*" >&2; exit 3`, "exited with code 3", "exited-early", ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-e", "PASSED_TOKEN=pl4nted-env", "--", "sh", "-c", c.script, "sh"}, arguments...)
			term := onTerminal(t, args...)
			term.waitFor(c.shows)
			term.typed("28")
			if c.problem != "" {
				term.waitFor(c.problem) // it quotes stderr
			}
			term.typed("1")
			if c.server != "" {
				term.waitFor(c.server)
			}
			term.typed("Gqq")
			term.exit()
			for _, s := range findPlanted([]byte(term.raw())) {
				t.Errorf("%s is on the screen", s)
			}
		})
	}
}
