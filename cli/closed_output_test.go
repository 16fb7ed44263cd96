//go:build linux

package cli

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// printing are command lines of every command that prints something, and of those without end. The
// words URL and REC are a server and a recording.
var printing = map[string][]string{
	"open": {"open --json DIR"}, "info": {"info URL", "info --json URL"}, "servers": {"servers --json", "servers"},
	"list": {"list URL", "list --json URL", "list --jq .tools[].name URL", "list --jq repeat(1) URL"},
	"call": {"call echo message=x URL", "call --json echo message=x URL"}, "read": {"read demo://readme URL"}, "prompt": {"prompt greeting name=x URL"},
	"complete": {"complete code-review language=p URL"}, "skill": {"skill brewing --json URL"}, "send": {"send tools/list URL"},
	"run": {"run SCRIPT URL", "run --watch SCRIPT URL"}, "bench": {"bench echo message=x -n 2 URL"},
	"lint": {"lint REC --json", "lint --self REC"}, "check": {"check --only P-001 URL", "check --only P-001 --json URL"},
	"export": {"export REC --to raw", "export REC --to html", "export REC --to har", "export REC --to issue", "export REC --to jsonl"},
	"diff":   {"diff REC REC --json"}, "reduce": {"reduce REC --needed --rule C016", "reduce REC --needed --json --rule C016"}, "config": {"config", "config --json"}, "explain": {"explain", "explain -- -32602"}, "version": {"version", "version --json"},
	"help": {"help", "help flags", "--help", "list --help"}, "completion": {"completion bash", "completion zsh", "completion fish", "completion powershell"},
}

// printsNothing are the commands whose stdout is not the output of a program, with the reason.
var printsNothing = map[string]string{
	"demo": "a server, or the inspector", "tap": "stdout is that of the host", "mock": "stdout is that of the host", "mcp": "stdout is that of the host",
	"app": "it opens a browser", "task": "without a task it prints nothing",
	"listen": "it prints what the server sends later", "replay": "it compares with a server and says what differs", "auth": "it asks the user, and prints what is stored",
}

// Where the output of a command cannot be written, it ends: silently where the reader of a pipe has
// exited, and with an error, which is not about the usage, where a disk is full.
func TestOutput_CannotBeWritten(t *testing.T) {
	raced.ByNight(t, "starts a process for each command; other tests race the same commands")
	server := httptest.NewServer(demo.New(demo.Options{}).HandlerContext(t.Context()))
	defer server.Close()
	dir := t.TempDir()
	write := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	write(".mcp.json", `{"mcpServers":{"one":{"command":"true"}}}`)
	t.Chdir(dir)
	recording := filepath.Join(dir, "r.mcptea.jsonl")
	env := app.Env(append(os.Environ(), "MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off", "HOME="+dir))
	if _, stderr, code := calledIn(t, env, "list", "--record", recording, server.URL+"/mcp"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	words := map[string]string{
		"URL": server.URL + "/mcp", "REC": recording, "DIR": dir,
		"SCRIPT": write("s.txtar", "list tools\njq '.tools|length > 0'\n"),
	}
	for _, c := range newProgram(os.Stdin, os.Stdout, os.Stderr, env).root("").Commands() {
		if c.IsAvailableCommand() && printing[c.Name()] == nil && printsNothing[c.Name()] == "" && len(c.Commands()) == 0 && c.Runnable() {
			t.Errorf("%s has no command line here", c.Name())
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }()
	for _, lines := range printing {
		for _, line := range lines {
			args := strings.Fields(line)
			for i, word := range args {
				if with := words[word]; with != "" {
					args[i] = with
				}
			}
			t.Run(line, func(t *testing.T) {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				_ = r.Close()
				stderr, code := calledTo(t, w, env, args...)
				_ = w.Close()
				if code != app.ErrBrokenPipe.Code || strings.HasPrefix(stderr, "mcptea: ") || strings.Contains(stderr, "\nmcptea: ") || strings.Contains(stderr, "Type mcptea") {
					t.Errorf("a closed pipe: exit code %d, %s", code, stderr)
				}
				stderr, code = calledTo(t, full, env, args...)
				if code != app.ExitError || strings.Count(stderr, "no space left on device") != 1 || strings.Contains(stderr, "Type mcptea") {
					t.Errorf("a full disk: exit code %d, %s", code, stderr)
				}
			})
		}
	}
}

// calledTo is [calledIn] with a place for what is printed.
func calledTo(t *testing.T, out *os.File, env app.Env, args ...string) (stderr string, code int) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errs.Close() }()
	code = newProgram(in, out, errs, env).run(version, args)
	text, err := os.ReadFile(errs.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text), code
}
