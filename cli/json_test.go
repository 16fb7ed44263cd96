package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"mcptea/internal/test/oauthtest"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/worker"
)

var (
	update       = flag.Bool("update", false, "write the generated files")
	allSpellings = flag.Bool("spellings", false, "run each command with a server of each spelling")
)

// jsonFiles are what the commands of [jsonRuns] read.
const jsonFiles = `
-- old.json --
{"tools":[{"name":"echo","description":"a","inputSchema":{"type":"object","properties":{"n":{}}}},{"name":"gone"}]}
-- new.json --
{"tools":[{"name":"echo","description":"b","inputSchema":{"type":"object","properties":{"n":{}},"required":["n"]}}]}
-- one.json --
{"a": 1, "b": [1, 2, 3]}
-- two.json --
{"b": [1, 3], "a": 1.0}
-- frames.jsonl --
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}
< {"jsonrpc":"1.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":2,
-- smoke.txtar --
# greets
call echo message=hi
expect {"content":[{"type":"text","text":"hi"}]}
# fails
call echo message=hi
expect {"content":[{"type":"text","text":"ho"}]}
# is skipped
call echo message=hi
-- home/.cursor/mcp.json --
{"mcpServers": {
  "files": {"command": "namedserver", "args": ["one", "--api-key=invented-4711"], "env": {"API_KEY": "invented-4712", "REGION": "eu"}, "environ": {}},
  "web": {"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer invented-4713"}},
  "typo": {"command": "no-such-program"}
}}
-- project/.mcp.json --
{
  "mcpServers": {
-- config/mcptea/config.yaml --
theme: nord
mute: [J030]
keys:
  follow: [f, F]
-- config/mcptea/themes/broken.yaml --
inherits: nosuch
`

// A jsonRun is a command with --json. {URL} and {GUARDED} in its arguments are servers
// over HTTP; the second one requires a token.
type jsonRun struct {
	section string // of docs/json.md
	name    string // of the run
	args    string // separated by spaces
}

const demoServer = " -- mcptea demo --serve"

// jsonRuns are run one after another, in one directory.
var jsonRuns = []jsonRun{
	{"", "record a", "call echo message=hi --record kept/a.mcptea.jsonl --json" + demoServer},
	{"", "record b", "call echo message=ho --record kept/b.mcptea.jsonl --json" + demoServer},
	{"", "record c", "call add a=1 b=2 --record kept/c.mcptea.jsonl --json" + demoServer},
	{"", "login", "auth login {GUARDED} --client-id robot --grant client-credentials --json"},
	{"info", "info", "info --json" + demoServer},
	{"info", "info, handshake era", "info --json --protocol 2025-06-18 -- namedserver one"},
	{"info", "info over HTTP", "info --json {URL}"},
	{"info", "info fails", "info --json --no-experiments --url {URL}/nowhere"},
	{"info --as", "info --as", "info --as gemini --json -- namedserver one"},
	{"info --as all", "info --as all", "info --as all --json -- namedserver one"},
	{"list", "list", "list --json -- namedserver one"},
	{"list", "list of nothing", "list templates --json -- namedserver one"},
	{"call", "call", "call echo message=hi --json" + demoServer},
	{"call", "call fails", "call nosuch --no-validate --json" + demoServer},
	{"read", "read", "read demo://readme --json" + demoServer},
	{"skill", "skill", "skill brewing templates/card.md --json" + demoServer},
	{"skill", "skill that differs", "skill brewing --json" + demoServer + " --fault skill-frontmatter"},
	{"prompt", "prompt", "prompt code-review language=go --json" + demoServer},
	{"complete", "complete", "complete code-review language=p --json" + demoServer},
	{"send", "send", "send tools/call {\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}} --json" + demoServer},
	{"send", "send --raw", "send --raw {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"} --json -- namedserver one"},
	{"app", "app", "app weather city=Lisbon --max-time 10ms --json" + demoServer},
	{"listen", "listen", "listen --count 1 --json --protocol 2025-11-25" + demoServer + " --fault unknown-notification"},
	{"listen event:NAME", "listen event:NAME", "listen event:stock.low a=1 --no-validate --json -- mcptea demo --serve=true"},
	{"task get", "task get", "task get nope --json {URL}"},
	{"task result", "task result", "task result nope --json {URL}"},
	{"task cancel", "task cancel", "task cancel nope --json {URL}"},
	{"task answer", "task answer", "task answer nope a=1 --json {URL}"},
	{"task list", "task list", "task list --json {URL}"},
	{"bench", "bench", "bench -n 4 --json -- namedserver one"},
	{"bench", "bench, open loop", "bench --tool fail -n 4 --rate 1000 -c 2 --no-validate --json -- mcptea demo --serve"},
	{"bench", "bench fails", "bench --method nosuch -n 4 --rate 1000 --json -- namedserver one"},
	{"check", "check", "check --protocol 2025-11-25 --only P-028 --seed 7 --json -- mcptea demo --serve --fault answer-to-notification"},
	{"explain probes", "explain probes", "explain probes --json"},
	{"run", "run", "run smoke.txtar --keep-going --json" + demoServer},
	{"lint", "lint", "lint frames.jsonl --json"},
	{"explain", "explain", "explain --json -- -32602"},
	{"explain", "explain a rule", "explain --json J031"},
	{"explain", "explain a probe", "explain --json P-020"},
	{"explain", "explain a method", "explain --json tools/list --protocol 2025-06-18"},
	{"explain without a TOPIC", "explain without a topic", "explain --json"},
	{"open", "open", "open --json kept"},
	{"open --hosts", "open, hosts", "open --hosts kept/a.mcptea.jsonl --json"},
	{"open --stats", "open, statistics", "open --stats kept --json"},
	{"info", "info, as another client", "info --as-client codex --json -- mcptea demo --serve"},
	{"tap --list", "tap --list", "tap --list --json"},
	{"reduce", "reduce", "reduce kept/a.mcptea.jsonl --json --needed --rule C016"},
	{"diff", "diff of recordings", "diff kept/a.mcptea.jsonl kept/b.mcptea.jsonl --json"},
	{"diff", "diff of unlike recordings", "diff kept/a.mcptea.jsonl kept/c.mcptea.jsonl --json"},
	{"diff", "diff of lists", "diff old.json new.json --json"},
	{"diff", "diff --breaking", "diff old.json new.json --breaking --json"},
	{"diff", "diff of values", "diff one.json two.json --json"},
	{"diff", "diff of frames", "diff kept/a.mcptea.jsonl#4 kept/b.mcptea.jsonl#4 --json"},
	{"replay", "replay", "replay kept/a.mcptea.jsonl --json -- mcptea mock kept/b.mcptea.jsonl"},
	{"replay", "replay, equal", "replay kept/a.mcptea.jsonl --json" + demoServer},
	{"open FILE --continue", "open, continue", "open kept/a.mcptea.jsonl --continue --until 6 --record off --json -- mcptea mock kept/b.mcptea.jsonl"},
	{"servers", "servers", "servers cursor claude-code --json"},
	{"servers --connect", "servers --connect", "servers --connect cursor/files --json"},
	{"servers --connect", "servers --find", "servers --find one cursor/files --json"},
	{"config", "config", "config --json --timeout 5s"},
	{"config themes", "config themes", "config themes --json"},
	{"auth status", "auth status", "auth status --json"},
	{"auth steps", "auth steps", "auth steps {GUARDED} --client-id robot --grant client-credentials --until client --json"},
	{"auth check", "auth check", "auth check {URL} --only garbage --json"},
	{"auth check --list", "auth check --list", "auth check --list --only none --json"},
	{"auth serve --wrong list", "auth serve --wrong list", "auth serve --wrong list --json"},
	{"version", "version", "version --json"},
}

// jsonOutput runs a command of [jsonRuns], once for all tests: the name of the run → stdout.
var jsonOutput = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "mcptea-json-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, f := range txtar.Parse([]byte(jsonFiles)).Files {
		path := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, f.Data, 0o600)); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "kept"), 0o700); err != nil {
		return nil, err
	}
	guarded := oauthtest.Start(oauthtest.Setup{Scope: "mcp", Clients: map[string]string{"robot": "secret"}})
	defer guarded.Close()
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", "MCPTEA_TOKEN_STORE=file", "MCPTEA_CLIENT_SECRET=secret",
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "HOME="+filepath.Join(dir, "home"), "USERPROFILE="+filepath.Join(dir, "home"))
	url, stop, err := listening(dir, env, "demo", "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer stop()
	_, stopTap, err := listening(dir, env, "tap", "--listen", "0", "--record", "kept/tap.mcptea.jsonl", url)
	if err != nil {
		return nil, err
	}
	defer stopTap()
	out := map[string][]byte{}
	places := strings.NewReplacer(dir, "DIR", url, "URL", guarded.URL(), "GUARDED", guarded.Issuer(), "ISSUER")
	for _, run := range jsonRuns {
		args := strings.Fields(strings.NewReplacer("{URL}", url, "{GUARDED}", guarded.URL()).Replace(run.args))
		c := worker.Command{Args: args, Dir: dir, Env: env}
		if run.section == "servers" {
			c.Dir = filepath.Join(dir, "project")
		}
		o, err := workers.Run(c)
		if err != nil {
			return nil, err
		}
		if len(o.Stdout) == 0 {
			return nil, fmt.Errorf("mcptea %s: exit code %d, no output; stderr: %s", run.args, o.Code, o.Stderr)
		}
		out[run.name] = []byte(places.Replace(string(o.Stdout)))
	}
	return out, nil
})

// listening starts mcptea as a server over HTTP, and returns its URL.
func listening(dir string, env []string, args ...string) (url string, stop func(), err error) {
	cmd := exec.Command("mcptea", args...)
	cmd.Dir, cmd.Env = dir, env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	var text []byte
	for buf := make([]byte, 4<<10); ; {
		n, err := stderr.Read(buf)
		text = append(text, buf[:n]...)
		if m := regexp.MustCompile(`listens at (\S+)\n`).FindSubmatch(text); m != nil {
			return string(m[1]), stop, nil
		}
		if err != nil {
			stop()
			return "", nil, fmt.Errorf("mcptea %s: %w: %s", args[0], err, text)
		}
	}
}

// volatile are the values that differ from run to run, with what the test has for them.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*"`), `"TIME"`},
	{regexp.MustCompile(`"((?:took_|min_|mean_|max_|p[0-9]+_)?ms|[a-z0-9]+_ns|pid|size|per_second|commit|go|os|arch|seed)":\s*("[^"]*"|[0-9.e-]+)`), `"$1":0`},
	{regexp.MustCompile(`"quantiles_ms":\{[^}]*\}`), `"quantiles_ms":{}`},
	{regexp.MustCompile(`pid [0-9]+`), "pid 0"},
	{regexp.MustCompile(`(in|after) [0-9.,]+ (?:ms|s|µs)`), "$1 0 ms"},
	{regexp.MustCompile(`"frame":[0-9]+,"connection"`), `"frame":0,"connection"`},
	{regexp.MustCompile(`,"late":[0-9]+`), ""},
	{regexp.MustCompile(`"activity":\[[0-9,]*\]`), `"activity":[]`},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "127.0.0.1:0"},
	{regexp.MustCompile(`/a/[A-Z2-7]{26}"`), `/a/TOKEN"`},
	{regexp.MustCompile(`"detail":"mcptea → [^"]*"`), `"detail":"mcptea → PATH"`},
	{regexp.MustCompile(`/[^" ]*/(mcptea|namedserver)"`), `PATH/$1"`},
	{regexp.MustCompile(`"data:[^"]*"`), `"data:"`},
	{regexp.MustCompile(`[0-9]+\.sock`), "0.sock"},
	{regexp.MustCompile(`(?m)^.*"skip":"not selected".*\n`), ""},
}

// counted are the numbers that grow with the demo server and the probes.
var counted = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"counts":\{"prompts":[0-9]+,"resources":[0-9]+,"templates":[0-9]+,"tools":[0-9]+\}`), `"counts":{"prompts":0,"resources":0,"templates":0,"tools":0}`},
	{regexp.MustCompile(`"probes":[0-9]+,"pass":([0-9]+),"warning":([0-9]+),"fail":([0-9]+),"skipped":[0-9]+`), `"probes":0,"pass":$1,"warning":$2,"fail":$3,"skipped":0`},
}

// listed are the elements of catalogues, of which the file has those that is accepts: a new
// probe, theme or tool of the demo server changes nothing.
var listed = []struct {
	pattern *regexp.Regexp
	is      func(name string) bool
}{
	{regexp.MustCompile(`\{"tool":"([^"]+)","why":"[^"]*","flag":"[^"]*"\},?`), func(name string) bool { return sessiontest.Fixed("tools", name) }},
	{regexp.MustCompile(`\{"name":"([a-z-]+)","dark":[^{}]*\},?`), func(name string) bool { return slices.Contains([]string{"dark", "light", "nord", "broken"}, name) }},
	{regexp.MustCompile(`(?m)^\{"id":"(P-[0-9]+)",.*\n`), sessiontest.IsFixed},
}

// fixed replaces what is volatile, and what grows with a catalogue.
func fixed(text []byte) []byte {
	for _, v := range append(slices.Clone(counted), volatile...) {
		text = v.pattern.ReplaceAll(text, []byte(v.with))
	}
	for _, l := range listed {
		text = l.pattern.ReplaceAllFunc(text, func(element []byte) []byte {
			if l.is(string(l.pattern.FindSubmatch(element)[1])) {
				return element
			}
			return nil
		})
	}
	return bytes.ReplaceAll(text, []byte("},]"), []byte("}]"))
}

// maxShown bounds the part of an output in the file.
const maxShown = 4000

// What scripts read stays, byte by byte: the order of members, white space, and values that
// mcptea writes. Members may be added.
func TestJSON_Bytes(t *testing.T) {
	raced.ByNight(t, "runs each command once for its bytes; the scripts race what runs beside each other")
	if runtime.GOOS == "windows" {
		t.Skip("the file has paths and steps of Unix")
	}
	outputs, err := jsonOutput()
	if err != nil {
		t.Fatal(err)
	}
	archive := &txtar.Archive{Comment: []byte("What each command prints with --json: go test ./cli -run TestJSON_Bytes -update\n")}
	for _, run := range jsonRuns {
		text := fixed(outputs[run.name])
		if len(text) > maxShown {
			text = append(text[:maxShown:maxShown], "…\n"...)
		}
		archive.Files = append(archive.Files, txtar.File{Name: run.name + ": " + run.args, Data: text})
	}
	const file = "testdata/json.golden"
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for _, f := range txtar.Parse(text).Files {
		want[f.Name] = f.Data
	}
	for _, f := range archive.Files {
		if !bytes.Equal(f.Data, want[f.Name]) {
			at := 0
			for at < min(len(f.Data), len(want[f.Name])) && f.Data[at] == want[f.Name][at] {
				at++
			}
			from := max(0, at-100)
			t.Errorf("%s: prints\n%.300s\nwant\n%.300s", f.Name, f.Data[from:], want[f.Name][min(from, len(want[f.Name])):])
		}
	}
}

// Each line is one JSON text, except for explain.
func TestJSON_Valid(t *testing.T) {
	outputs, err := jsonOutput()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range outputs {
		if strings.HasPrefix(name, "explain") && name != "explain probes" {
			if !json.Valid(text) {
				t.Errorf("%s: %.200s", name, text)
			}
			continue
		}
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				t.Errorf("%s: %.200s", name, line)
			}
		}
	}
}
