package cli

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/demo"
	"mcptea/internal/shell"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/worker"
)

// mistakeFiles are what is in the directory in which mistakes are typed.
var mistakeFiles = map[string]string{
	"dist/index.js": "", "server.py": "", "server.ts": "", "run.sh": "",
	"main.go": "package main\n", "go.mod": "module x\n", ".git/HEAD": "",
	"bin/server":           "#!/usr/bin/env node\n",
	"package.json":         `{"main":"dist/index.js"}`,
	"unbuilt/package.json": `{"main":"dist/index.js","scripts":{"build":"tsc"}}`,
	"sub/pyproject.toml":   "[project.scripts]\ntea='tea:main'\n",
	"rust/Cargo.toml":      "",
	"empty/notes.md":       "",
	"two.json":             `{"mcpServers":{"first":{"command":"namedserver","args":["one"]},"second":{"command":"namedserver","args":["two"]}}}`,
	"outcome.json":         "{\n\"result\":{\"sum\":3}}\n",
	"spread.json":          "{\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"result\":{}}\n",
	"page.html":            "<!doctype html><title>x</title>",
	"traffic.har":          "{\"log\":{\"entries\":[{\"startedDateTime\":\"x\",\n\"request\":{\"method\":\"POST\"}}]}}",
	"frames.log":           `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
}

// interpreters stand on PATH; each is a server whose tools have the names of its arguments.
var interpreters = []string{"node", "npx", "python3", "uv", "go", "sh", "cargo"}

// A mistake is a command line that is wrong.
type mistake struct {
	typed    string // {URL} is a server over HTTP, {ADDR} its host and port
	proposed string // a command line, which is in the output
	says     string // a part of the output in its place
	runs     string // what is run in place of proposed, such as where that needs a terminal
	code     int    // of what is run
	still    bool   // nothing is run
}

// mistakes are what developers type who know other programs, or type fast.
var mistakes = []mistake{
	// a file or a project in place of a command
	{typed: "dist/index.js", proposed: "mcptea -- node dist/index.js"},
	{typed: "./dist/index.js", proposed: "mcptea -- node dist/index.js"},
	{typed: "./server.py", proposed: "mcptea -- python3 server.py"},
	{typed: "server.py --port 3", proposed: "mcptea -- python3 server.py --port 3"},
	{typed: "server.py one two", proposed: "mcptea -- python3 server.py one two"},
	{typed: "server.ts", proposed: "mcptea -- npx tsx server.ts"},
	{typed: "main.go", proposed: "mcptea -- go run ."},
	{typed: "bin/server", proposed: "mcptea -- node bin/server"},
	{typed: "run.sh", proposed: "mcptea -- sh run.sh"},
	{typed: ".", proposed: "mcptea -- node dist/index.js"},
	{typed: "package.json", proposed: "mcptea -- node dist/index.js"},
	{typed: "./sub", proposed: "mcptea -- uv run --directory sub tea"},
	{typed: "rust/", proposed: "mcptea -- cargo run --quiet --manifest-path rust/Cargo.toml"},
	{typed: "empty", says: "It has no package.json, pyproject.toml, go.mod, Cargo.toml", still: true},
	{typed: "empty/", says: "It has no package.json, pyproject.toml, go.mod, Cargo.toml", still: true},
	{typed: "unbuilt/dist/index.js", says: "The project has a script that builds it: npm run build", still: true},
	{typed: "unbuilt", proposed: "mcptea -- node unbuilt/dist/index.js", still: true},
	{typed: "sever.py", says: "Did you mean server.py?", still: true},
	{typed: "./dist/indx.js", says: "Did you mean ./dist/index.js?", still: true},
	{typed: "info ./dist/index.js", proposed: "mcptea info -- node dist/index.js"},
	{typed: "info server.py", proposed: "mcptea info -- python3 server.py"},
	{typed: "info server.py --port 3", says: "mcptea info -- python3 server.py …", runs: "mcptea info -- python3 server.py --port 3"},
	{typed: "list tools server.ts", proposed: "mcptea list tools -- npx tsx server.ts"},
	{typed: "call run a=1 main.go", proposed: "mcptea call run a=1 -- go run ."},
	{typed: "call server.py run a=1", proposed: "mcptea call run a=1 -- python3 server.py", code: app.ExitUsage}, // it has no tool run
	{typed: "two.json", proposed: "two.json#first", runs: "mcptea info two.json#first"},
	{typed: "frames.log", proposed: "mcptea lint frames.log"},
	{typed: "open nosuch.jsonl", says: "no such file or directory", still: true},
	// commands of other programs
	{typed: "inspect -- namedserver one", proposed: "mcptea -- namedserver one"},
	{typed: "connect {URL}", proposed: "mcptea {URL}"},
	{typed: "run-server -- namedserver one", proposed: "mcptea -- namedserver one"},
	{typed: "inspector", says: "No command is needed, only a server", still: true},
	{typed: "tools -- namedserver one", proposed: "mcptea list tools -- namedserver one"},
	{typed: "tools list {URL}", proposed: "mcptea list tools {URL}"},
	{typed: "tools call one a=1 -- namedserver one", proposed: "mcptea call one a=1 -- namedserver one"},
	{typed: "tools/list {URL}", proposed: "mcptea list tools {URL}"},
	{typed: "list-tools --json -- namedserver one", proposed: "mcptea list tools --json -- namedserver one"},
	{typed: "{URL} tools", proposed: "mcptea list tools {URL}"},
	{typed: "{ADDR} tools", proposed: "mcptea list tools {URL}"},
	{typed: "resources -- namedserver one", proposed: "mcptea list resources -- namedserver one"},
	{typed: "resources read one -- namedserver one", proposed: "mcptea read one -- namedserver one"},
	{typed: "prompts get one -- namedserver one", proposed: "mcptea prompt one -- namedserver one"},
	{typed: "templates {URL}", proposed: "mcptea list templates {URL}"},
	{typed: "ls {URL}", proposed: "mcptea list {URL}"},
	{typed: "invoke one --no-validate -- namedserver one", proposed: "mcptea call one --no-validate -- namedserver one"},
	{typed: "call-tool echo message=x {URL}", proposed: "mcptea call echo message=x {URL}"},
	{typed: "ping {URL}", proposed: "mcptea send ping {URL}", code: app.ExitError}, // the method is of another version
	{typed: "status {URL}", proposed: "mcptea info {URL}"},
	{typed: "describe -- namedserver one", proposed: "mcptea info -- namedserver one"},
	{typed: "validate -- namedserver one", proposed: "mcptea check -- namedserver one", runs: "mcptea check --only P-020 -- namedserver one"},
	{typed: "load one -n 2 -- namedserver one", proposed: "mcptea bench one -n 2 -- namedserver one"},
	{typed: "proxy -- namedserver one", proposed: "mcptea tap -- namedserver one"},
	{typed: "logs frames.log", proposed: "mcptea open frames.log", still: true},
	{typed: "hosts", proposed: "mcptea servers"},
	{typed: "settings", proposed: "mcptea config"},
	{typed: "convert frames.log --to jsonl", proposed: "mcptea export frames.log --to jsonl", code: app.ExitUsage}, // it is no recording
	{typed: "man", proposed: "mcptea help"},
	// slips of the fingers
	{typed: "lsit tools -- namedserver one", proposed: "mcptea list tools -- namedserver one"},
	{typed: "infoo {URL}", proposed: "mcptea info {URL}"},
	{typed: "cal one a=1 -- namedserver one", proposed: "mcptea call one a=1 -- namedserver one"},
	{typed: "vresion", proposed: "mcptea version"},
	{typed: "hlep", proposed: "mcptea help"},
	{typed: "help chek", says: "Did you mean check?", runs: "mcptea help check"},
	{typed: "list tols {URL}", says: "The kinds are tools, resources", runs: "mcptea list tools {URL}"},
	{typed: "info htps://127.0.0.1/mcp", says: "Did you mean https://127.0.0.1/mcp?", still: true},
	{typed: "http:/127.0.0.1/mcp", says: "", still: true},
	{typed: "list --jsn -- namedserver one", says: "Did you mean --json?", runs: "mcptea list --json -- namedserver one"},
	{typed: "call ecko message=x {URL}", says: "Did you mean echo?", runs: "mcptea call echo message=x {URL}"},
	{typed: "call echo mesage=x {URL}", says: "Did you mean message?", runs: "mcptea call echo message=x {URL}"},
	{typed: "call echo message=x loud=1 {URL}", says: "To send the request anyway, add --no-validate.", runs: "mcptea call echo message=x loud=1 --no-validate {URL}"},
	{typed: "call add --a=1 --b=2 {URL}", says: "Arguments are words, without dashes: a=…", runs: "mcptea call add a=1 b=2 {URL}"},
	{typed: "-v {URL}", says: "mcptea info -v TARGET", runs: "mcptea info -v {URL}"},
	{typed: "list namedserver", proposed: "mcptea list -- namedserver"},
	{typed: "namedserver one", says: "requires a terminal", runs: "mcptea info -- namedserver one"},
	{typed: "info pyhton3 server.py", proposed: "mcptea info -- python3 server.py"},
	{typed: "call python3 server.py run a=1", proposed: "mcptea call run a=1 -- python3 server.py", code: app.ExitUsage}, // it has no tool run
	{typed: "run server.py", proposed: "mcptea -- python3 server.py"},
	{typed: "--cli python3 server.py --method tools/list", says: "mcptea list tools -- COMMAND", runs: "mcptea list tools -- python3 server.py"},
	{typed: "call one --tool-arg a=1 -- namedserver one", says: "mcptea call TOOL key=value", runs: "mcptea call one a=1 -- namedserver one"},
	{typed: "list tools --format json -- namedserver one", says: "--json prints JSON", runs: "mcptea list tools --json -- namedserver one"},
	{typed: "watch -- namedserver one", proposed: "mcptea --watch -- namedserver one", still: true},
	{typed: "call echo message=x volume=five {URL}", says: "no parameter", still: true},
	{typed: "call add a=five b=2 {URL}", says: `add --no-validate and write 'a:="five"'`, runs: `mcptea call add 'a:="five"' b=2 --no-validate {URL}`, code: app.ExitError},
	{typed: "explain rule", says: "", runs: "mcptea explain rules"},
}

// linked is a directory in which some names are the program namedserver.
func linked(t *testing.T, names ...string) string {
	t.Helper()
	server, err := exec.LookPath("namedserver")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(server, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// alone is a command line without a command, whose inspector needs a terminal.
var alone = regexp.MustCompile(`^mcptea (--|http)`)

// wholeLine is a command line that an answer proposes at the end of a line.
var wholeLine = regexp.MustCompile(`(?m): (mcptea [^\n]*?)\.?$`)

// placeholder is a word in a command line that the user replaces, or a rest that is not repeated.
var placeholder = regexp.MustCompile(`\b(TARGET|COMMAND|FILE|URL|NAME|METHOD|TOOL|EXPR|WORDS?|ARG|TOPIC|ID|FORMAT|ADDRESS|HOST|A B)\b|…|lists|prints|key=value`)

// refusedToo are lines of the examples in hints, about servers and files that the test does not have.
var refusedToo = []string{"mcptea send ping -- ./my-server", "mcptea run smoke.txtar -- node server.js", "mcptea demo --listen 3000", "mcptea mcp --listen 3000", "mcptea info --watch -- namedserver one"}

// What is typed in error is told with what to type, and that works.
func TestMistakes(t *testing.T) {
	raced.ByNight(t, "runs commands that refuse their arguments")
	if runtime.GOOS == "windows" {
		t.Skip("the interpreters are links")
	}
	all := slices.Concat(mistakes, moreMistakes)
	if len(all) < 275 {
		t.Fatalf("%d mistakes", len(all))
	}
	dir, programs := t.TempDir(), linked(t, append(interpreters, "namedserver")...)
	for name, text := range mistakeFiles {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, text)
	}
	web := httptest.NewServer(demo.New(demo.Options{}).HandlerContext(t.Context()))
	t.Cleanup(web.Close)
	home, address := t.TempDir(), strings.TrimPrefix(web.URL, "http://")
	port := address[strings.LastIndexByte(address, ':')+1:]
	fill := strings.NewReplacer("{URL}", web.URL+"/mcp", "{ADDR}", address+"/mcp", "{PORT}", port, "{DIR}", dir).Replace
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"files":{"command":"namedserver","args":["one"]}}}`)
	env := []string{"PATH=" + programs, "HOME=" + home, "XDG_STATE_HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir(), "MCPTEA_TOKEN_STORE=file", "MCPTEA_CONFIG=off"}
	run := func(t *testing.T, line string) (text string, code int) {
		t.Helper()
		words, err := shell.Split(line, func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		o := runProgram(t, worker.Command{Args: words[1:], Dir: dir, Env: env})
		return string(o.Stdout) + string(o.Stderr), o.Code
	}
	for _, m := range all {
		t.Run(strings.NewReplacer("/", "⁄", " ", "_").Replace(m.typed), func(t *testing.T) {
			t.Parallel()
			text, code := run(t, "mcptea "+fill(m.typed))
			if want := fill(m.proposed + m.says); code != app.ExitUsage || !strings.Contains(text, want) {
				t.Fatalf("exit code %d, and not with %q:\n%s", code, want, text)
			}
			for _, found := range wholeLine.FindAllStringSubmatch(text, -1) { // no answer proposes a line that is refused
				line := alone.ReplaceAllString(found[1], "mcptea info $1")
				if placeholder.MatchString(line) || line == alone.ReplaceAllString(fill(m.proposed), "mcptea info $1") || strings.Contains(line, "\"") && m.code == 0 && strings.Contains(m.typed, "--json") || slices.Contains(refusedToo, line) {
					continue
				}
				if text, code := run(t, line); code == app.ExitUsage {
					t.Errorf("the answer proposes %s, which is refused:\n%s", line, text)
				}
			}
			if m.still {
				return
			}
			line := fill(m.runs)
			if line == "" {
				line = fill(m.proposed)
			}
			line = alone.ReplaceAllString(line, "mcptea info $1")
			if text, code = run(t, line); code != m.code {
				t.Errorf("%s: exit code %d, want %d:\n%s", line, code, m.code, text)
			}
		})
	}
}
