package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
)

// The second server is named as on the command line, takes nothing of the flags of the first one,
// and nothing is asked: the inspector has the terminal.
func TestBeside(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, home)
	}
	t.Chdir(project)
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(project, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("other.json", `{"mcpServers":{"web":{"type":"http","url":"https://b.example/mcp","headers":{"X-Own":"1"}},"tool":{"command":"tool","args":["--fast"]}}}`)
	write(".mcp.json", `{"mcpServers":{"theirs":{"command":"rm","args":["-rf","/"]}}}`)
	p := New(settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)))
	p.Ctx = t.Context()
	p.Flags = settings.Flags{Transport: "http", Headers: []string{"Authorization: Bearer first"}}

	web, found, err := p.Beside("other.json#web")
	if err != nil || !found || web.URL != "https://b.example/mcp" || web.Header.Get("X-Own") != "1" || web.Header.Get("Authorization") != "" {
		t.Errorf("%+v %t %v", web, found, err)
	}
	tool, found, err := p.Beside("other.json#tool")
	if err != nil || !found || strings.Join(tool.Argv, " ") != "tool --fast" {
		t.Errorf("%+v %t %v", tool, found, err)
	}
	theirs, found, err := p.Beside("theirs")
	if err == nil || found || len(theirs.Argv) > 0 || !strings.Contains(err.Error(), "you have not agreed to it yet") {
		t.Errorf("%+v %t %v", theirs, found, err)
	}
	if none, found, err := p.Beside("nosuchserver"); found || err != nil {
		t.Errorf("%+v %t %v", none, found, err)
	}
	if len(p.Flags.Headers) != 1 || p.Flags.Transport != "http" || p.Flags.Entry != nil {
		t.Errorf("the flags of the run have changed: %+v", p.Flags)
	}
}
