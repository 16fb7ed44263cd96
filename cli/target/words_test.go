package target_test

import (
	"os"
	"testing"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// A word that is an address without a scheme is a target: of the program itself any address, of a
// command, whose words can be names as well, one with a port or of this machine.
func TestTarget_AddressWithoutScheme(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		word                 string
		ofProgram, ofCommand string // URLs
	}{
		{"example.test/mcp", "https://example.test/mcp", ""},
		{"example.test:8080/mcp", "http://example.test:8080/mcp", "http://example.test:8080/mcp"},
		{"localhost/mcp", "http://localhost/mcp", "http://localhost/mcp"},
		{"127.0.0.1", "http://127.0.0.1", "http://127.0.0.1"},
		{"example.test", "", ""},
	} {
		root, command := &cobra.Command{Use: "mcptea"}, &cobra.Command{Use: "info"}
		root.AddCommand(command)
		for cmd, want := range map[*cobra.Command]string{root: tt.ofProgram, command: tt.ofCommand} {
			p := target.New(settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, app.Env{"MCPTEA_CONFIG=off"})))
			p.Ctx, p.Flags.Transport = t.Context(), "auto"
			got, _, found, err := p.SplitTarget(cmd, []string{tt.word})
			if err != nil || found != (want != "") || got.URL != want {
				t.Errorf("%s %s: %q, %t, %v; want %q", cmd.Name(), tt.word, got.URL, found, err, want)
			}
		}
	}
}
