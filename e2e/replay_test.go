//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The scripts that make the recordings: something of everything that a server offers.
const (
	everythingScript = `
answer elicitation {"action":"accept","content":{"name":"Ada"}}
answer sampling {"role":"assistant","content":{"type":"text","text":"ok"},"model":"m"}
list tools
list resources
list templates
list prompts
call echo message=hi
call echo message=hi
call get-sum a=2 b=40
call get-annotated-message messageType=error includeImage=true
call get-structured-content location=Chicago
call get-tiny-image
call get-resource-links count=2
call trigger-long-running-operation duration=0.1 steps=3
call trigger-sampling-request prompt=x maxTokens=10
call trigger-elicitation-request
! call echo
read demo://resource/static/document/features.md
prompt simple-prompt
prompt args-prompt city=Paris
! prompt nope
send completion/complete {"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"S"}}
send logging/setLevel {"level":"debug"}
send ping
`
	filesystemScript = `
list tools
call list_allowed_directories
call read_text_file path=DIR/order.txt
call list_directory path=DIR
! call read_text_file path=DIR/nowhere.txt
call search_files path=DIR pattern=order
`
	sdkScript = `
list tools
list resources
list prompts
call shout text=tea
call steep
! call spoil
read tea://leaf
read tea://leaf/green
prompt order
! call nope
`
	demoScript = `
answer elicitation {"action":"accept","content":{"tea":"green","cups":2}}
list tools
list resources
list templates
list prompts
call echo message=hi
call echo message=hi
call add a=1 b=2
call ask-user
call content
! call echo
read demo://readme
`
)

// recordScript runs a script and returns the recording.
func recordScript(t *testing.T, script string, target []string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "session.mcptea.jsonl")
	path := filepath.Join(dir, "calls.txtar")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	r := mcptea(t, onTarget(target, append([]string{"run", path, "--record", file}, flags...)...)...)
	r.exits(t, 0)
	if r.code != 0 {
		t.FailNow()
	}
	return file
}

// onTarget is on for a command or a URL.
func onTarget(target []string, args ...string) []string {
	if strings.HasPrefix(target[0], "http://") {
		return append(args, target...)
	}
	return on(target, args...)
}

// replays replays a recording to a mock of it, over stdio and HTTP: nothing may differ.
func replays(t *testing.T, file, path string) {
	t.Helper()
	r := mcptea(t, "replay", file, "--", program(t), "mock", file)
	r.exits(t, 0)
	if r.stdout != "" || !strings.Contains(r.stderr, " equal\n") {
		t.Errorf("stdout %s\nstderr %s", r.stdout, r.stderr)
	}
	r = mcptea(t, "replay", file, listening(t, path, "--listen", program(t), "mock", file))
	r.exits(t, 0)
	if r.stdout != "" || !strings.Contains(r.stderr, " equal\n") {
		t.Errorf("over HTTP: stdout %s\nstderr %s", r.stdout, r.stderr)
	}
}

func TestReplay_MockOfEachServer(t *testing.T) {
	t.Parallel() // most of its servers begin with Node.js
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdio := func(argv ...string) func(*testing.T) []string { return func(*testing.T) []string { return argv } }
	demo := func(t *testing.T) []string { return []string{program(t), "demo", "--serve"} }
	older := strings.Replace(everythingScript, "call trigger-elicitation-request\n", "", 1) // of 2025-03-26 and before
	sdk := "-e=" + sdkServerEnv + "=1"
	for name, tc := range map[string]struct {
		script string
		target func(*testing.T) []string
		flags  []string
		path   string // of the mock over HTTP
	}{
		"everything":                 {everythingScript, everything, nil, "/mcp"},
		"everything, 2025-03-26":     {older, everything, []string{"--protocol", "2025-03-26"}, "/mcp"},
		"everything, HTTP":           {everythingScript, func(t *testing.T) []string { return []string{everythingOverHTTP(t, "streamableHttp", "/mcp")} }, nil, "/mcp"},
		"everything, HTTP+SSE":       {older, func(t *testing.T) []string { return []string{everythingOverHTTP(t, "sse", "/sse")} }, []string{"--transport", "sse"}, "/sse"},
		"the Go SDK":                 {sdkScript, stdio(self), []string{sdk, "--protocol", "2025-11-25"}, "/mcp"},
		"the Go SDK, stateless":      {sdkScript, stdio(self), []string{sdk, "--protocol", "2026-07-28"}, "/mcp"},
		"the demo server":            {demoScript, demo, []string{"--protocol", "2025-11-25"}, "/mcp"},
		"the demo server, stateless": {demoScript, demo, []string{"--protocol", "2026-07-28"}, "/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			target := tc.target(t)
			file := recordScript(t, tc.script, target, tc.flags...)
			replays(t, file, tc.path)
			// The recording is a script that the server passes.
			script := filepath.Join(t.TempDir(), "recorded.txtar")
			mcptea(t, "export", file, "--to", "script", "--output", script).exits(t, 0)
			mcptea(t, onTarget(target, append([]string{"run", script}, tc.flags...)...)...).exits(t, 0)
		})
	}
}

// A server whose files have changed: exactly that is reported.
func TestReplay_ReportsExactlyTheChange(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "order.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one pot of Assam\n")
	server := peer(t, "@modelcontextprotocol/server-filesystem/dist/index.js", dir)
	file := recordScript(t, strings.ReplaceAll(filesystemScript, "DIR", dir), server)
	replays(t, file, "/mcp")
	r := mcptea(t, on(server, "replay", file)...)
	r.exits(t, 0)
	write("two pots of Assam\n")
	r = mcptea(t, on(server, "replay", file, "--json")...)
	r.exits(t, 1)
	for _, want := range []string{`"different":1,`, `"path":"/result/content/0/text"`, `"old":"one pot of Assam\n","new":"two pots of Assam\n"`} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %s in %s", want, r.stdout)
		}
	}
}

// hostProgram is a host on the official TypeScript SDK, whose server is the command line.
const hostProgram = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const client = new Client({ name: "host", version: "1.0.0" }, { capabilities: { roots: { listChanged: true } } });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: process.argv.slice(3) }));
const results = [(await client.listTools()).tools.length];
results.push(...(await Promise.all([1, 2, 3].map((i) => client.callTool({ name: "echo", arguments: { message: "m" + i } })))));
console.log(JSON.stringify(results));
await client.close();
`

// What a real host sent through the tap is replayed, and the host gets the same results
// from the mock.
func TestReplay_RecordingOfAHost(t *testing.T) {
	t.Parallel() // most of its servers begin with Node.js
	server := everything(t)
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root(t), "testdata", "peers", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	host := filepath.Join(dir, "host.mjs")
	if err := os.WriteFile(host, []byte(hostProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(argv ...string) string {
		t.Helper()
		out, err := command(t, server[0], append([]string{host}, argv...)...).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	file := filepath.Join(dir, "tap.mcptea.jsonl")
	direct := run(append([]string{program(t), "tap", "--record", file, "--"}, server...)...)
	if !strings.Contains(direct, "Echo: m3") {
		t.Fatalf("the host printed %s", direct)
	}
	replays(t, file, "/mcp")
	mcptea(t, on(server, "replay", file)...).exits(t, 0)
	if mocked := run(program(t), "mock", file); mocked != direct {
		t.Errorf("with the mock the host printed %s, with the server %s", mocked, direct)
	}
}
