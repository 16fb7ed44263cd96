//go:build unix

package pages

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"mcptea/internal/test/certtest"
)

// deadline bounds each command of a page. It is generous, for a loaded machine.
const deadline = 60 * time.Second

var recorded = regexp.MustCompile(`--record (\S+)`)

// place is the directory in which the commands of a page are run, one after the other,
// with what they find there.
type place struct {
	dir     string
	env     []string
	replace *strings.Replacer
	exports string // the lines with export, for the commands after them
}

// newPlace makes the directory for a page in dir, where files of other commands may be.
func newPlace(t *testing.T, dir string, scripts []string) *place {
	t.Helper()
	server, collector := overHTTP(t)
	p := &place{dir: dir, env: environment(dir)}
	corp := certtest.NewAuthority(t, "Corp Root CA")
	chain, _ := certtest.PEM(t, corp.Certificate)
	client, key := certtest.PEM(t, corp.Issue(t, "me", nil))
	p.replace = strings.NewReplacer(append(slices.Clone(substitutions), "http://127.0.0.1:3000/mcp", server, "http://localhost:4318", collector, "https://mcp.corp.example/mcp", overHTTPS(t, corp))...)
	page, err := os.ReadFile("../../docs/mock.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shop, _ := strings.Cut(string(page), "```yaml\n")
	shop, _, _ = strings.Cut(shop, "```")
	for path, text := range map[string]string{
		"corp-ca.pem":                     string(chain),
		"me.pem":                          string(client),
		"me.key":                          string(key),
		"shop.yaml":                       shop,
		"my-server":                       "#!/bin/sh\nexec my-server\n",
		"server":                          "#!/bin/sh\nexec my-server\n",
		"src/main.js":                     "",
		"config.json":                     "{}",
		"home/.cursor/mcp.json":           `{"mcpServers": {"files": {"command": "my-server"}}}`,
		"home/.config/mcptea/themes/none": "",
		"mcp.json":                        `{"mcpServers": {"files": {"command": "my-server"}, "other": {"command": "my-server"}}}`,
		"ci.json":                         `{"mcpServers": {"only": {"command": "my-server"}}}`,
		"server.json":                     registryEntry,
		"notes/manifest.json":             bundleManifest,
		"notes.mcpb":                      bundle(t),
		"tests/search.txtar":              "call search query=tea\ntext tea\n",
		"smoke.txtar":                     "call search query=tea\ntext tea\n",
		"bug.mcptea.jsonl":                bug,
		"mcptea.txtar":                    "call search query=tea\ntext tea\n",
		"model.sh":                        strings.Join(scripts, ""),
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// recordings returns a directory with what several pages use and commands have written: it is
// the same for each page. The pages refer to frames of long sessions.
func recordings(t *testing.T) string {
	t.Helper()
	p := newPlace(t, t.TempDir(), nil)
	p.must(t, "mcptea bench search query=tea --requests 100 --record session.mcptea.jsonl http://127.0.0.1:3000/mcp")
	p.must(t, "mcptea call search query=tea --record before.mcptea.jsonl -- my-server")
	p.must(t, "cp before.mcptea.jsonl after.mcptea.jsonl; cp before.mcptea.jsonl search.mcptea.jsonl; gzip -k session.mcptea.jsonl")
	p.must(t, "mcptea list --json -- my-server > tools.json; cp tools.json old-tools.json; cp tools.json new-tools.json")
	p.must(t, "mkdir -p home/state/mcptea/recordings; cp before.mcptea.jsonl home/state/mcptea/recordings/")
	return p.dir
}

// registryEntry describes a server for the MCP registry, with a variable that it needs.
const registryEntry = `{
	"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
	"name": "io.github.example/search", "description": "Search", "version": "1.0.0",
	"packages": [{
		"registryType": "npm", "identifier": "search", "version": "1.0.0", "transport": {"type": "stdio"},
		"environmentVariables": [{"name": "API_KEY", "description": "The key"}]
	}]
}`

// bug is a recording of a result that does not match its outputSchema.
const bug = `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea 0.1.0","transport":"stdio","target":"node server.js"}
{"s":1,"t":1780000000000000001,"k":"out","id":1,"m":"initialize","n":146,"msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"s":2,"t":1780000000000000002,"k":"in","id":1,"n":134,"msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"s":3,"t":1780000000000000003,"k":"out","id":2,"m":"tools/list","n":46,"msg":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"s":4,"t":1780000000000000004,"k":"in","id":2,"n":184,"msg":{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"total","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}}}}]}}}
{"s":5,"t":1780000000000000005,"k":"out","id":3,"m":"tools/call","n":100,"msg":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"total","arguments":{"of":"Miller"}}}}
{"s":6,"t":1780000000000000006,"k":"in","id":3,"n":122,"msg":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"sum\":\"12\"}"}],"structuredContent":{"sum":"12"}}}}
`

// bundleManifest is the manifest of an MCP bundle.
const bundleManifest = `{
	"manifest_version": "0.3", "name": "notes", "version": "1.0.0",
	"server": {"type": "binary", "entry_point": "manifest.json", "mcp_config": {"command": "my-server", "env": {"NOTES_KEY": "${user_config.api_key}"}}},
	"user_config": {
		"api_key": {"type": "string", "title": "Key", "sensitive": true},
		"dirs": {"type": "directory", "title": "Directories", "multiple": true, "default": []}
	}
}`

// bundle is the archive of an MCP bundle.
func bundle(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("manifest.json")
	if err == nil {
		_, err = f.Write([]byte(bundleManifest))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func environment(dir string) []string {
	home := filepath.Join(dir, "home")
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME=",
		"XDG_RUNTIME_DIR="+home, "MCPTEA_TOKEN_STORE=file", "API_KEY=none", "TERM=xterm-256color", "GORACE=atexit_sleep_ms=0")
}

func (p *place) command(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail\n"+p.exports+p.replace.Replace(line))
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, time.Second
	return cmd
}

func (p *place) must(t *testing.T, line string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	if out, err := p.command(ctx, line).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// run runs a line of a page and compares what it does with what is expected.
func (p *place) run(t *testing.T, line string) {
	e := expected(line)
	if e.skip != "" {
		t.Skip(e.skip)
	}
	if strings.HasPrefix(line, "export ") {
		p.exports += p.replace.Replace(line) + "\n"
		return
	}
	if m := recorded.FindStringSubmatch(line); m != nil {
		_ = os.Remove(filepath.Join(p.dir, m[1])) // mcptea does not overwrite recordings
	}
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	cmd := p.command(ctx, line)
	if e.screen != "" || e.serves {
		until := e.screen
		if e.serves {
			until = "http://127.0.0.1:"
		}
		onTerminal(t, cmd, until, e.input)
		return
	}
	out, err := cmd.CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != 0 && !slices.Contains(e.codes, code) || ctx.Err() != nil {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// onTerminal runs a command on a terminal until it has written a text, and then until it
// ends of itself after the input, or is ended as by a terminal that is closed.
func onTerminal(t *testing.T, cmd *exec.Cmd, until, input string) {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 36, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	var shown bytes.Buffer
	found := false
	for b := make([]byte, 4096); ; {
		n, err := tty.Read(b)
		shown.Write(b[:n])
		if !found && bytes.Contains(shown.Bytes(), []byte(until)) {
			found = true
			if input == "" {
				break
			}
			if _, err := tty.WriteString(input); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil { // the command has ended, or did not in time
			break
		}
	}
	if input == "" {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // it may have ended
	}
	err = cmd.Wait()
	switch {
	case !found:
		t.Errorf("%q is not on the screen: %v\n%s", until, err, ansi.Strip(shown.String()))
	case input != "" && err != nil:
		t.Errorf("%v\n%s", err, ansi.Strip(shown.String()))
	}
}
