package hosts

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"mcptea/client/hosts/syntax"
)

func readNamed(t *testing.T, path, text string) *Configuration {
	w := world{OS: "linux", Home: "/h", Project: "/h/p", Cwd: "/h/p", Commands: []byte("[]")}
	return ReadFile(w.machine(t, map[string][]byte{path: []byte(text)}), path)
}

func TestReadFile_Forms(t *testing.T) {
	const package1 = `{"name":"a/b","packages":[{"registryType":"`
	for _, c := range []struct{ path, text, want string }{
		{"/x/any.json", `{"mcpServers":{"a":{"command":"node","args":["x"]}}}`, "a stdio node x"},
		{"/x/any.json", "// comment\n" + `{"mcpServers":{"a":{"url":"http://h/mcp"}}}`, "a http http://h/mcp"},
		{"/x/any.json", `{"servers":{"a":{"type":"sse","url":"http://h/sse"}}}`, "a sse http://h/sse"},
		{"/x/.mcp.json", `{"a":{"command":"b"}}`, "a stdio b"},
		{"/x/any.json", `{"mcp":{"servers":{"a":{"command":"b"}}}}`, "a stdio b"},
		{"/x/any.json", `{"mcp":{"a":{"type":"local","command":["b","c"]}}}`, "a stdio b c"},
		{"/x/any.json", `{"context_servers":{"a":{"command":"b","args":[]}}}`, "a stdio b"},
		{"/x/any.toml", "mcp_servers.a = { command = 'b', args = ['c'] }\n", "a stdio b c"},
		{"/x/any.yaml", "extensions:\n  a: {type: stdio, cmd: b, args: [c]}\n", "a stdio b c"},
		{"/x/any.yaml", "mcpServers:\n  - {name: a, command: b}\n", "a stdio b"},
		{"/x/manifest.json", `{"manifest_version":"0.3","name":"a","server":{"type":"node","mcp_config":{"command":"node","args":["b"]}}}`, "a stdio node b"},
		{"/x/server.json", package1 + `npm","identifier":"p","version":"1","transport":{"type":"stdio"}}]}`, "a/b stdio npx -y p@1"},
		{"/x/server.json", package1 + `npm","identifier":"p","runtimeHint":"npx","runtimeArguments":[{"type":"named","name":"--yes"}],"transport":{"type":"stdio"}}]}`, "a/b stdio npx --yes p"},
		{"/x/server.json", package1 + `pypi","identifier":"p","version":"1","transport":{"type":"stdio"}}]}`, "a/b stdio uvx p@1"},
		{"/x/server.json", package1 + `nuget","identifier":"p","version":"1","transport":{"type":"stdio"}}]}`, "a/b stdio dnx p@1"},
		{"/x/server.json", package1 + `oci","identifier":"h:5/p","version":"1","environmentVariables":[{"name":"K","value":"v"},{"value":"of no variable"}],"transport":{"type":"stdio"}}]}`, "a/b stdio docker run -i --rm -e K h:5/p:1"},
		{"/x/server.json", package1 + `oci","identifier":"p:2","runtimeArguments":[{"type":"positional","value":"run"}],"transport":{"type":"stdio"}}]}`, "a/b stdio docker run p:2"},
		{"/x/server.json", `{"name":"a/b","remotes":[{"type":"streamable-http","url":"https://{r}.h/mcp","variables":{"r":{"default":"eu"}}}]}`, "a/b http https://eu.h/mcp"},
	} {
		found := readNamed(t, c.path, c.text)
		var got []string
		for _, s := range found.Servers {
			if !s.Usable() {
				t.Errorf("%s: %s is not usable", c.text, s.Name)
			}
			got = append(got, s.Name+" "+string(s.Transport)+" "+s.Expanded.String())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, want %q; %v", c.text, got, c.want, found.Problems)
		}
	}
}

func TestReadFile_RequiredValues(t *testing.T) {
	for text, want := range map[string][]string{
		`"packages":[{"registryType":"npm","identifier":"p","environmentVariables":[{"name":"K","isRequired":true},{"name":"L"}]}]`:                  {"K"},
		`"packages":[{"registryType":"npm","identifier":"p","packageArguments":[{"type":"positional","valueHint":"dir","isRequired":true}]}]`:        {"dir"},
		`"packages":[{"registryType":"npm","identifier":"p","packageArguments":[{"type":"named","name":"--a","value":"{b}","variables":{"b":{}}}]}]`: {"{b}"},
		`"remotes":[{"type":"sse","url":"https://h/","headers":[{"name":"X-Key","isRequired":true}]}]`:                                               {"X-Key"},
	} {
		found := readNamed(t, "/x/server.json", `{"name":"a/b",`+text+`}`)
		if len(found.Servers) != 1 || !slices.Equal(found.Servers[0].Required, want) {
			t.Errorf("%s: %+v, want %v", text, found.Servers, want)
		}
	}
}

func TestServer_Matches(t *testing.T) {
	s := readNamed(t, "/x/server.json", `{"name":"com.example/notes","packages":[{"registryType":"npm","identifier":"p"}]}`).Servers[0]
	for name, want := range map[string]bool{"com.example/notes": true, "notes": true, "npm": true, "": false, "otes": false} {
		if s.Matches(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A fragment that was copied out of a file has no braces around it.
func TestReadPasted_WithoutBraces(t *testing.T) {
	m := (&world{OS: "linux", Home: "/h", Project: "/h/p", Cwd: "/h/p", Commands: []byte("[]")}).machine(t, nil)
	for text, want := range map[string]string{
		`"icepanel": {"command": "npx", "args": ["-y", "p"]},`:                            "icepanel",
		"\n  \"a\": {\"command\": \"b\"}, // the first\n \"c\": {\"url\": \"http://h/\"}": "a c",
		`"a": 1`:           "",
		`"my server" run`:  "",
		`"a": {"command":`: "",
	} {
		var names []string
		for _, s := range ReadPasted(m, text).Servers {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What a public report has pasted: the message names the place, and what is likely missing.
func TestReadFile_SyntaxSaysWhatIsMissing(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"mcpServers\": {\"s\": {\"command\": \"npx\",\n  \"env\": { \"hardcoded-env: \"env-value\" }}}}": `3:29 …A quotation mark is missing after "hardcoded-env, before the colon.`,
		`{"mcpServers":{"ü":{"command":"b, "args":[]}}}`:                                                      `1:36 …A quotation mark is missing at the end of a value before this place.`,
		`"icepanel": {"command": "npx"},`:                                                                     "1:11 …The braces around the entries are missing: { … }.",
		`{"mcpServers":{"s":{"command":"secret-token "args":[]}}}`:                                            "1:46 Not valid JSON: invalid character 'a' after object value (expecting ',' or '}'). mcptea ignores the whole file.",
	} {
		found := readNamed(t, "/x/any.json", text).Problems
		if len(found) != 1 {
			t.Errorf("%s: %v", text, found)
			continue
		}
		got := fmt.Sprintf("%d:%d %s", found[0].Line, found[0].Column, found[0].Message)
		place, hint, cut := strings.Cut(want, " …")
		if ok := got == want || cut && strings.HasPrefix(got, place+" ") && strings.HasSuffix(got, " "+hint); !ok {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What a message repeats of a file is bounded, and a name has nothing that changes how it is read.
func TestReadFile_SyntaxRepeatsLittle(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for text, want := range map[string]string{
		`{"a\u202e` + "\u202e" + long + `: "b"}`: `A quotation mark is missing after "a\\u202e\u202exxx`,
		"{\"a\x1b" + long + `": 1}`:              "Not valid JSON: invalid literal",
	} {
		found := readNamed(t, "/x/any.json", text).Problems
		if len(found) != 1 || len(found[0].Message) > 600 || !strings.Contains(found[0].Message, want) {
			t.Errorf("%.600q", fmt.Sprint(found))
		}
	}
}

// A path of Windows on another system has a problem of its own.
func TestReadFile_WindowsPath(t *testing.T) {
	for _, command := range []string{`C:/Program Files/nodejs/npx.cmd`, `\\\\host\\share\\server.exe`, `d:\\a\\b.exe`} {
		found := readNamed(t, "/x/any.json", `{"mcpServers":{"s":{"command":"`+command+`"}}}`)
		if p := found.Servers[0].Problems; len(p) == 0 || !strings.Contains(p[0].Message, "is a Windows path, and this machine does not run Windows") {
			t.Errorf("%s: %v", command, p)
		}
	}
}

// Entries without a root key are read in plugins of Claude Code, and refused in a project.
func TestDiscover_EntriesAtTheTop(t *testing.T) {
	const flat = `{"ui5":{"command":"npx","args":["-y","p"],"env":{"DIR":"${cwd}"}}}`
	m := home(t, map[string]string{".claude/plugins/cache/a/b/c/.mcp.json": flat, "p/.mcp.json": flat, ".claude/settings.json": `{"statusLine":{"command":"x"}}`})
	c := discover(t, m, "claude-code")
	if len(c.Servers) != 2 || c.Servers[0].Scope != Plugin || !strings.Contains(fmt.Sprint(c.Servers[0].Problems), `does not expand "${cwd}"`) {
		t.Errorf("servers: %+v", c.Servers)
	}
	if len(c.Problems) != 1 || c.Problems[0].ID != "F006" || !strings.Contains(c.Problems[0].Message, `Claude Code reads "mcpServers"`) {
		t.Errorf("problems: %v", c.Problems)
	}
}

// A folder of the editor in braces without $ is named, with what to write where the host expands it.
func TestDiscover_FolderWithoutDollar(t *testing.T) {
	for _, test := range []struct{ host, file, root, text, want string }{
		{"vscode", "p/.vscode/mcp.json", "servers", "{workspaceFolder}/pw.json", `does not expand "{workspaceFolder}", which has no $. Write ${workspaceFolder}.`},
		{"cursor", "p/.cursor/mcp.json", "mcpServers", "--home={userHome}", `Write ${userHome}.`},
		{"claude-code", "p/.mcp.json", "mcpServers", "{workspaceFolder}", `which has no $. Write the value itself.`},
		{"vscode", "p/.vscode/mcp.json", "servers", "${workspaceFolder}/{name}/$x{y}", ""},
	} {
		m := home(t, map[string]string{test.file: `{"` + test.root + `":{"s":{"command":"node","args":["x",` + strconv.Quote(test.text) + `]}}}`})
		found := fmt.Sprint(discover(t, m, test.host).Servers[0].Problems)
		if test.want == "" && strings.Contains(found, "which has no $") || !strings.Contains(found, test.want) {
			t.Errorf("%s in %s: %s", test.text, test.host, found)
		}
	}
}

// FuzzReadFile expects that no file makes reading panic.
func FuzzReadFile(f *testing.F) {
	f.Add("/x/a.json", `{"mcpServers":{"a":{"command":"b"}},"packages":[{"registryType":"oci","identifier":"/"}]}`)
	f.Add("/x/a.json", `{"name":"a","packages":[{"environmentVariables":[{}],"packageArguments":[1,{"variables":{"":1}}]}]}`)
	f.Add("/x/a.yaml", "mcpServers: [1, {name: a}]\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		for _, s := range readNamed(t, path, text).Servers {
			_, _, _ = s.Usable(), s.Unresolved(), s.Matches("a")
		}
	})
}

// mcptea starts the servers of what was pasted, and of a file that was named, in its working
// directory: a relative path is a path there.
func TestReadPasted_RelativePath(t *testing.T) {
	m := &Machine{
		OS: "linux", Home: "/home/u", Dir: "/work",
		LookupEnv: func(string) (string, bool) { return "", false },
		Exists:    func(path string) bool { return path == "/work/here.js" },
		Names:     func(string) []string { return nil },
		LookPath:  func(name string) (string, bool) { return "/usr/bin/" + name, true },
		Tracked:   func(string) bool { return false },
		Trusted:   func(string, string) bool { return false },
	}
	for text, want := range map[string]string{
		`{"command":"node","args":["here.js"]}`:                    "",
		`{"command":"node","args":["gone.js"]}`:                    `F046 "/work/gone.js" does not exist`,
		`{"command":"node","args":["here.js"],"cwd":"/elsewhere"}`: `F046 "/elsewhere/here.js" does not exist`,
	} {
		var found []string
		for _, s := range ReadPasted(m, text).Servers {
			for _, p := range s.Problems {
				found = append(found, p.ID+" "+p.Message)
			}
		}
		if got := strings.Join(found, "\n"); got != want && !(want != "" && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// OAuth is what an entry configures, and none where it says so; references are those of the host.
func TestDiscover_OpenCode(t *testing.T) {
	c := discover(t, home(t, map[string]string{".config/opencode/opencode.json": `{"mcp":{
		"off":{"type":"remote","url":"https://h.example/","oauth":false,"headers":{"X-Key":"{env:MCPTEA_TEST_UNSET}"}},
		"on":{"type":"remote","url":"https://h.example/mcp","oauth":{"clientId":"c"}}}}`}), "opencode")
	if len(c.Servers) != 2 || c.Servers[0].OAuth != nil || c.Servers[1].OAuth == nil {
		t.Fatalf("servers %+v", c.Servers)
	}
	if !slices.ContainsFunc(c.Servers[0].Problems, func(p Problem) bool { return p.ID == "F040" && strings.Contains(p.Message, "MCPTEA_TEST_UNSET") }) {
		t.Errorf("a variable that is not set: %v", c.Servers[0].Problems)
	}
}

// An input that the file does not define is an error, one that it defines is not.
func TestReadFile_UndefinedInput(t *testing.T) {
	c := readNamed(t, "/x/mcp.json", `{"inputs":[{"id":"known","type":"promptString"}],"servers":{"a":{"command":"b","args":["${input:known}","${input:unknown}"]}}}`)
	var said []string
	for _, p := range c.Servers[0].Problems {
		if p.ID == "F042" {
			said = append(said, p.Message)
		}
	}
	if want := []string{`Input "unknown" is not defined in "inputs".`}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// A variable of a package and a header of a remote have their value, that of their default, or none, and are
// left out if they have none and need none.
func TestReadFile_ValuesOfAManifest(t *testing.T) {
	const fields = `[{"name":"A","value":"1"},{"name":"B","default":"2"},{"name":"C","isRequired":true},{"name":"D"},{"name":"E","default":"{x}","variables":{"x":{"default":"3"}}},{"value":"4"},{"isRequired":true}]`
	for _, text := range []string{
		`"packages":[{"registryType":"npm","identifier":"p","environmentVariables":` + fields + `}]`,
		`"remotes":[{"type":"sse","url":"https://h/","headers":` + fields + `}]`,
	} {
		found := readNamed(t, "/x/server.json", `{"name":"a/b",`+text+`}`)
		if len(found.Servers) != 1 {
			t.Fatalf("%s: %v", text, found.Problems)
		}
		s, got := found.Servers[0], ""
		for _, f := range slices.Concat(s.Expanded.Env, s.Expanded.Headers) {
			got += f.Name + "=" + f.Value + " "
		}
		if got != "A=1 B=2 C= E=3 " || !slices.Equal(s.Required, []string{"C"}) {
			t.Errorf("%s: %q, required %q", text, got, s.Required)
		}
	}
}

// An entry that a host does not use says which one it uses instead, and where that is.
func TestDiscover_AlsoDefined(t *testing.T) {
	w := world{OS: "linux", Home: "/h", Project: "/h/p", Cwd: "/h/p", Commands: []byte("[]"), Trusted: true}
	m := w.machine(t, map[string][]byte{
		"/h/.claude.json": []byte("{\n\"mcpServers\":{\"a\":{\"command\":\"x\"}}}"),
		"/h/p/.mcp.json":  []byte("{\"mcpServers\":{\n\n\"a\":{\"command\":\"x\"}}}"),
	})
	found, err := Discover(t.Context(), m, "claude-code")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, p := range allProblems(found) {
		if p.ID == "F034" {
			said = append(said, p.Message)
		}
	}
	if want := []string{"Also defined in ~/p/.mcp.json:3. Claude Code uses the entry of ~/p/.mcp.json."}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// A description of a server with more packages and remotes than are read says so, as a file of a host does.
func TestReadFile_ManyPackages(t *testing.T) {
	pack, remote := `{"registryType":"npm","identifier":"p","transport":{"type":"stdio"}}`, `{"type":"sse","url":"https://h.example/sse"}`
	for n, want := range map[int][]string{999: nil, 1000: {"The file has 1,001 servers. mcptea reads the first 1,000."}} {
		c := readNamed(t, "server.json", `{"name":"a/b","packages":[`+pack+strings.Repeat(","+pack, n-1)+`],"remotes":[`+remote+`]}`)
		var said []string
		for _, p := range c.Problems {
			if p.ID == "F013" {
				said = append(said, p.Message)
			}
		}
		if len(c.Servers) != 1000 || len(said) != len(want) || len(want) == 1 && !strings.HasSuffix(said[0], want[0]) {
			t.Errorf("%d packages: %d servers, %q", n, len(c.Servers), said)
		}
	}
}

// A file with very many servers is read within a moment: the first ones, which is said. Problems are where
// they are, also in one long line.
func TestReadFile_ManyServers(t *testing.T) {
	const n = 60_000
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf(`"s%d":{"command":"srv","argz":["%d"]}`, i/2, i) // each is defined twice
	}
	data := []byte(`{"mcpServers":{` + strings.Join(entries, ",") + `}}`)
	c := readNamed(t, "mcp.json", string(data))
	if len(c.Servers) != 500 || c.Servers[499].Name != "s499" {
		t.Fatalf("%d servers", len(c.Servers))
	}
	if p := c.Problems[0]; p.ID != "F013" || !strings.HasSuffix(p.Message, "The file has 60,000 servers. mcptea reads the first 1,000.") {
		t.Errorf("%s: %s", p.ID, p.Message)
	}
	twice := 0
	for _, s := range c.Servers {
		for _, p := range s.Problems {
			if p.ID == "F008" {
				twice++
			}
			if at := data[p.Column-1:]; p.Line != 1 || p.ID == "F008" && !bytes.HasPrefix(at, []byte(`"`+s.Name+`"`)) || p.ID == "F020" && !bytes.HasPrefix(at, []byte(`"argz"`)) {
				t.Fatalf("%s of %s is at column %d: %.20s", p.ID, s.Name, p.Column, at)
			}
		}
	}
	if twice != 500 {
		t.Errorf("%d are said to be defined twice", twice)
	}
}

// A place that is moved is where counting from the start of the file puts it.
func FuzzPlace(f *testing.F) {
	f.Add([]byte("a\nbé\n\nc"), 3, 6, 1)
	f.Fuzz(func(t *testing.T, data []byte, a, b, c int) {
		var p place
		for _, at := range []int{a, b, c, b} {
			if !utf8.Valid(data) || at > 0 && at < len(data) && !utf8.RuneStart(data[at]) {
				t.Skip()
			}
			line, column := p.move(data, at)
			if wantLine, wantColumn := syntax.Position(data, at); line != wantLine || column != wantColumn {
				t.Fatalf("%d of %q is at %d:%d, want %d:%d", at, data, line, column, wantLine, wantColumn)
			}
		}
	})
}
