package recordings

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// The flags of the server are not applied a second time between the agents and their processes, and the flags of serving
// require --listen.
func TestMCP_Flags(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for typed, want := range map[string]string{
		"--listen 127.0.0.1:0 --url-token none -- true":                                                 "mcptea mcp listens at http://127.0.0.1:",
		"--listen 127.0.0.1:0 --watch --build true --fault delay=2s --protocol 2026-07-28 -- no-server": "mcptea mcp listens at http://127.0.0.1:",

		"--listen 127.0.0.1:0 -H a:b -- true":            "mcptea: -H requires a URL, but the target is a command",
		"--listen 127.0.0.1:0 https://a.example -- true": "mcptea: the command line has both a URL and a command",

		"--url-token none -- true": "mcptea: --url-token requires --listen",
		"--idle 5m":                "mcptea: --idle requires --listen",
	} {
		errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		a := app.NewApp(os.Stdin, errs, errs, append(os.Environ(), "MCPTEA_CONFIG=off"))
		ctx, stop := context.WithCancel(t.Context())
		stop()
		a.Args = append([]string{"mcp"}, strings.Fields(typed)...)
		a.Ctx = ctx // the program is interrupted: serving ends as it starts
		s := settings.New(a)
		i := &inspector.Inspector{Settings: s, Target: target.New(s), Link: link.New(s)}
		cmd := MCP(i)()
		cmd.SetArgs(strings.Fields(typed))
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		_ = errs.Close()
		text, err := os.ReadFile(errs.Name())
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %v, %s", typed, err, text)
		}
		if isServed := strings.HasPrefix(want, "mcptea mcp listens"); isServed && (i.Watches() || i.Flags.Build != "" || i.Flags.Record != "off") {
			t.Errorf("%s: the process that serves has the flags of the server", typed)
		}
	}
}

// The process of an agent gets the command line without the flags of serving; the words of the server are kept.
func TestServeMCP_WordsOfTheProcess(t *testing.T) {
	for typed, want := range map[string]string{
		"mcp --listen 3000": "mcp",
		"mcp --listen=3000 --url-token none -- node --listen 4000 x": "mcp -- node --listen 4000 x",
		"mcp --watch --shared --idle 5m --allow-host a --sse files":  "mcp --watch files",
		"mcp --allow-commands --max-sessions=3 -e A=b --listen :1":   "mcp --allow-commands -e A=b",
	} {
		if got := withoutServing(strings.Fields(typed)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", typed, got, want)
		}
	}
}
