package target_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// What the words of a target refer to is in the environment of the run. Values of inputs are
// private, and the server gets them only where its entry has them.
func TestTarget_RefersToTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	entry := `{"mcpServers":{"web":{"command":"server","args":["--key","${input:key}"]}},"inputs":[{"id":"key","type":"promptString","password":true}]}`
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	env := app.Env{"TOOL_DIR=tools", "API_KEY=0123456789abcdef", "MCPTEA_INPUT_KEY=hunter2hunter2"}
	for _, tt := range []struct {
		name, word    string
		argv, private []string
	}{
		{"the user's own", "mine", []string{"tools/server", "--key", "0123456789abcdef"}, []string{"0123456789abcdef"}},
		{"an entry with an input", "mcp.json#web", []string{"server", "--key", "hunter2hunter2"}, []string{"hunter2hunter2"}},
	} {
		s := settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, env))
		s.Configured = &settings.Config{Servers: map[string]string{"mine": "$TOOL_DIR/server --key $API_KEY"}}
		s.Flags.Transport = "auto"
		got, _, found, err := target.New(s).SplitTarget(&cobra.Command{Use: "info"}, []string{tt.word})
		if err != nil || !found {
			t.Errorf("%s: found %t, %v", tt.name, found, err)
		}
		if diff := cmp.Diff(tt.argv, got.Argv); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !slices.Equal(got.Private, tt.private) {
			t.Errorf("%s: private are %q, want %q", tt.name, got.Private, tt.private)
		}
		if want := []string{"TOOL_DIR=tools", "API_KEY=0123456789abcdef"}; !slices.Equal(got.Env, want) {
			t.Errorf("%s: the environment is %q, want %q", tt.name, got.Env, want)
		}
	}
	none := settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, app.Env{}))
	none.Flags.Transport = "auto"
	if got, _, found, err := target.New(none).SplitTarget(&cobra.Command{Use: "info"}, []string{"mcp.json#web"}); err == nil || found {
		t.Errorf("without the variable: %+v %t", got, found)
	}
}
