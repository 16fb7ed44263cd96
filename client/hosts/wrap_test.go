package hosts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wrapCase is a configuration with what wrapping its servers does.
type wrapCase struct {
	w    world
	file string
	host string
	at   string
	data []byte
	wrap []struct{ Server, File, Refuse string }
	dir  string
}

func wrapCases(t *testing.T) (all []wrapCase) {
	for _, dir := range corpora(t) {
		e := loadExpectation(t, dir)
		for _, c := range e.Cases {
			if len(c.Wrap) == 0 {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, c.File))
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Wrap { // files in YAML are not edited, whatever their layout
				if w := &c.Wrap[i]; path.Ext(c.File) == ".yaml" && (w.Refuse == "" || strings.HasPrefix(w.Refuse, "yaml-")) {
					w.Refuse = "(yaml)"
				}
			}
			all = append(all, wrapCase{e.World, c.File, c.Host, e.World.place(c.Path), data, c.Wrap, dir})
		}
	}
	return all
}

// named returns the server of a file.
func (c *wrapCase) named(t *testing.T, data []byte, name string) *Server {
	t.Helper()
	found, err := Discover(t.Context(), c.w.machine(t, map[string][]byte{c.at: data}), c.host)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func TestWrap_Corpus(t *testing.T) {
	for _, c := range wrapCases(t) {
		for _, want := range c.wrap {
			t.Run(path.Join(filepath.Base(c.dir), c.file, want.Server), func(t *testing.T) {
				s := c.named(t, c.data, want.Server)
				if s == nil {
					t.Fatalf("no server %q", want.Server)
				}
				edit, err := s.Wrap(WrapOptions{Mcptea: c.w.Mcptea, Listen: fmt.Sprintf("127.0.0.1:%d", c.w.Port)})
				if want.Refuse != "" {
					var refused *RefusedError
					if !errors.As(err, &refused) || !strings.Contains(err.Error(), want.Refuse) {
						t.Fatalf("got %v, want the reason %s", err, want.Refuse)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				wrapped, err := os.ReadFile(filepath.Join(c.dir, want.File))
				if err != nil {
					t.Fatal(err)
				}
				if string(edit.After) != string(wrapped) {
					t.Fatalf("got\n%s\nwant\n%s", edit.Diff(), (&Edit{Server: s, Before: edit.Before, After: wrapped}).Diff())
				}
			})
		}
	}
}

// wrappedFile wraps a server of a case in a file on disk, and returns the server as then read.
func (c *wrapCase) wrappedFile(t *testing.T, j Journal, name string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), filepath.Base(c.file))
	if err := os.WriteFile(file, c.data, 0o640); err != nil {
		t.Fatal(err)
	}
	edit, err := c.named(t, c.data, name).Wrap(WrapOptions{Mcptea: c.w.Mcptea, Listen: fmt.Sprintf("127.0.0.1:%d", c.w.Port)})
	if err != nil {
		t.Fatal(err)
	}
	edit.File, edit.record.File = file, file
	if err := j.Apply(edit); err != nil {
		t.Fatal(err)
	}
	return file
}

// unwrapped reads a file, unwraps a server, and returns what the file has then.
func (c *wrapCase) unwrapped(t *testing.T, j Journal, file, name string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := c.named(t, data, name)
	if s == nil {
		t.Fatalf("no server %q in\n%s", name, data)
	}
	s.Source.File = file
	edit, err := j.Unwrap(s)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := j.Apply(edit); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// configured is a server of Claude Desktop in a file on disk.
func configured(t *testing.T, file, text string) *Server {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return inFile(t, file, "a")
}

func inFile(t *testing.T, file, name string) *Server {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := world{OS: "linux", Home: "/home/ann", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	host, path := "claude-desktop", "/home/ann/.config/Claude/claude_desktop_config.json"
	if filepath.Ext(file) == ".toml" {
		host, path = "codex", "/home/ann/.codex/config.toml"
	}
	c, err := Discover(t.Context(), w.machine(t, map[string][]byte{path: data}), host)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Servers {
		if s.Name == name {
			s.Source.File = file
			return s
		}
	}
	t.Fatalf("no server %q", name)
	return nil
}

var wrapHere = WrapOptions{Mcptea: "/bin/mcptea", Listen: "127.0.0.1:4000"}

func TestWrap_CommandsAllowedByPolicy(t *testing.T) {
	w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]")}
	files := map[string][]byte{
		"/h/.claude.json":                        []byte(`{"mcpServers": {"a": {"command": "x"}}}`),
		"/etc/claude-code/managed-settings.json": []byte(`{"allowedMcpServers": [{"serverCommand": ["x"]}]}`),
	}
	c, err := Discover(t.Context(), w.machine(t, files), "claude-code")
	if err != nil || len(c.Servers) != 1 {
		t.Fatal(c.Servers, err)
	}
	if _, err := c.Servers[0].Wrap(wrapHere); err == nil || !strings.Contains(err.Error(), "(policy)") {
		t.Errorf("got %v", err)
	}
}

// A file in YAML is not edited; what to write is in the refusal.
func TestWrap_YAMLByHand(t *testing.T) {
	const text = "extensions:\n  files:\n    type: stdio\n    cmd: npx # runs it\n    args:\n      - '-y'\n      - it's\n    enabled: true\n"
	w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	c := wrapCase{w: w, host: "goose", at: "/h/.config/goose/config.yaml"}
	var refused *RefusedError
	_, err := c.named(t, []byte(text), "files").Wrap(wrapHere)
	if !errors.As(err, &refused) || err.Error() != "cannot wrap goose/files: mcptea does not edit YAML; the entry is in line 2 of /h/.config/goose/config.yaml (yaml)" {
		t.Fatal(err)
	}
	const snippet = "cmd: \"/bin/mcptea\"\nargs: [\"tap\", \"--as\", \"goose/files\", \"--\", \"npx\", \"-y\", \"it's\"]"
	if refused.Snippet != snippet {
		t.Errorf("got %s", refused.Snippet)
	}
	// The lines do what they say, and unwrapping names those of before.
	edited := "extensions:\n  files:\n    type: stdio\n    " + strings.ReplaceAll(snippet, "\n", "\n    ") + "\n"
	_, err = Journal{t.TempDir()}.Unwrap(c.named(t, []byte(edited), "files"))
	if !errors.As(err, &refused) || refused.Verb != "unwrap" || refused.Snippet != "cmd: \"npx\"\nargs: [\"-y\", \"it's\"]" {
		t.Errorf("got %v: %s", err, refused.Snippet)
	}
}

// Lines to paste mean what the entry means, also where a character of it cannot be seen.
func TestWrap_YAMLUnseenCharacters(t *testing.T) {
	const argument = "a\u202eb\u2800c\u00a0d\u0085e\u3164f\U000e0041g\u2028h\x7fi\u00e9\U0001f375"
	w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	c := wrapCase{w: w, host: "goose", at: "/h/.config/goose/config.yaml"}
	text := "extensions:\n  files:\n    type: stdio\n    cmd: npx\n    args: [" + strconv.QuoteToASCII(argument) + "]\n    enabled: true\n"
	var refused *RefusedError
	if _, err := c.named(t, []byte(text), "files").Wrap(wrapHere); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if strings.ContainsAny(refused.Snippet, "\u202e\u2800\u00a0\u0085\u3164\U000e0041\u2028\x7f") || !strings.Contains(refused.Snippet, "i\u00e9\U0001f375") {
		t.Errorf("got %+q", refused.Snippet)
	}
	edited := "extensions:\n  files:\n    type: stdio\n    " + strings.ReplaceAll(refused.Snippet, "\n", "\n    ") + "\n"
	if got := c.named(t, []byte(edited), "files").Written.Args; got[len(got)-1] != argument {
		t.Errorf("got %+q", got)
	}
}

// A key that the entry does not have is the one that its host reads.
func TestWrap_YAMLWithoutArguments(t *testing.T) {
	w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	c := wrapCase{w: w, host: "goose", at: "/h/.config/goose/config.yaml"}
	var refused *RefusedError
	_, err := c.named(t, []byte("extensions:\n  files:\n    type: stdio\n    cmd: npx\n    enabled: true\n"), "files").Wrap(wrapHere)
	if !errors.As(err, &refused) || refused.Snippet != "cmd: \"/bin/mcptea\"\nargs: [\"tap\", \"--as\", \"goose/files\", \"--\", \"npx\"]" {
		t.Errorf("%v: %s", err, refused.Snippet)
	}
}

// The lines of a difference are those around what changes, and are numbered from 1.
func TestEdit_DiffLines(t *testing.T) {
	text := "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n  },\n  \"d\": 4,\n  \"e\": 5\n}\n"
	edit, err := configured(t, filepath.Join(t.TempDir(), "c.json"), text).Wrap(wrapHere)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(edit.Diff(), "\n")
	if len(lines) != 8 || lines[0] != "@@ -4 +4 @@" || lines[1] != "   \"c\": 3," || lines[6] != "   \"d\": 4," || lines[7] != "" || lines[3][0] != '-' || lines[4][0] != '+' {
		t.Errorf("%q", lines)
	}
	edit = &Edit{Server: edit.Server, Before: []byte("a\nb\n"), After: []byte("a\n")}
	if got := edit.Diff(); got != "@@ -1 +1 @@\n a\n-b\n" {
		t.Errorf("%q", got)
	}
}

func TestEdit_DiffHasNoSecrets(t *testing.T) {
	edit, err := configured(t, filepath.Join(t.TempDir(), "c.json"), twoServers).Wrap(wrapHere)
	if err != nil {
		t.Fatal(err)
	}
	if diff := edit.Diff(); strings.Contains(diff, "abcdef0123456789") || !strings.Contains(diff, "+"+`{"mcpServers": {"a": {"command": "/bin/mcptea", "args": ["tap"`) {
		t.Errorf("got\n%s", diff)
	}
}

// The entries beside the edited one have their secrets masked, too, whether they are on its line or on lines around it.
func TestEdit_DiffHasNoSecretsOfOtherEntries(t *testing.T) {
	const other = `"args": ["s.js", "--token", "tokSecret998877"], "env": {"API_KEY": "keySecret112233"}`
	for _, text := range []string{
		`{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", ` + other + `}}}`,
		"{\"mcpServers\": {\n\"b\": {\"command\": \"y\",\n" + other + "},\n\"a\": {\"command\": \"x\"}\n}}",
	} {
		edit, err := configured(t, filepath.Join(t.TempDir(), "c.json"), text).Wrap(wrapHere)
		if err != nil {
			t.Fatal(err)
		}
		if diff := edit.Diff(); strings.Contains(diff, "Secret") || !strings.Contains(diff, "s.js") {
			t.Errorf("got\n%s", diff)
		}
	}
}

// FuzzWrap expects of any file that it is refused, or that the edit changes one entry
// only and is undone exactly.
func FuzzWrap(f *testing.F) {
	for _, text := range []string{
		twoServers,
		"{\n  // c\n  \"mcpServers\": {\n\t\"a\": {\n\"command\": \"x\" // y\n, \"args\": [ // z\n // q\n  \"1\"\n]\n}}}\r\n",
		`{"mcpServers":{"a":{"args":[],"command":"\u0078"}}}`,
		`{"mcpServers":{"a":{"args":[ /*c*/ "--" ],"command":"x",},},}`,
	} {
		f.Add("zed", text)
	}
	f.Add("codex", "[mcp_servers.a]\ncommand = 'x' # c\nargs = [ # d\n 'e', # f\n]\n")
	f.Add("codex", "mcp_servers.a.command = \"\"\"\nx\"\"\"")
	f.Add("codex", "mcp_servers = { a = { command = 'x' } }\r\n[b]")
	places := map[string]string{"zed": "/h/.config/zed/settings.json", "codex": "/h/.codex/config.toml"}
	f.Fuzz(func(t *testing.T, host, text string) {
		at := places[host]
		if at == "" {
			return
		}
		w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Trusted: true}
		c := wrapCase{w: w, host: host, at: at}
		found, err := Discover(t.Context(), w.machine(t, map[string][]byte{at: []byte(text)}), host)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found.Servers {
			edit, err := s.Wrap(wrapHere)
			if err != nil {
				continue
			}
			_ = edit.Diff()
			wrapped := c.named(t, edit.After, s.Name)
			if wrapped == nil || s.Transport == Stdio && !wrapped.Wrapped {
				t.Fatalf("%q is not wrapped in\n%s", s.Name, edit.After)
			}
			back, err := wrapped.unwrap(edit.record)
			if err != nil {
				t.Fatalf("%v\n%q\n%q", err, text, edit.After)
			}
			if string(back.After) != text {
				t.Fatalf("got\n%q\nwant\n%q", back.After, text)
			}
		}
	})
}

// An entry is wrapped whatever the executable is called: a download has its platform in its name.
func TestWrap_ExecutableOfAnotherName(t *testing.T) {
	for _, path := range []string{"/bin/mcptea-1.0", "/bin/mcptea-linux-amd64", "/bin/mt"} {
		file := filepath.Join(t.TempDir(), "c.json")
		o := wrapHere
		o.Mcptea = path
		edit, err := configured(t, file, twoServers).Wrap(o)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if !strings.Contains(string(edit.After), path) {
			t.Errorf("%s is not in %s", path, edit.After)
		}
	}
}

// On each system the settings of the administrator are read where Claude Code reads them.
func TestWrap_PolicyOfEachSystem(t *testing.T) {
	paths := map[string]string{
		"linux":   "/etc/claude-code/managed-settings.json",
		"darwin":  "/Library/Application Support/ClaudeCode/managed-settings.json",
		"windows": `C:\Program Files\ClaudeCode\managed-settings.json`,
	}
	for system := range paths {
		for of, path := range paths {
			m := &Machine{OS: system, Read: func(name string, _ int64) ([]byte, fs.FileMode, error) {
				if name != path {
					return nil, 0, fs.ErrNotExist
				}
				return []byte(`{"allowedMcpServers": [{"serverCommand": ["x"]}]}`), 0o600, nil
			}}
			s := &Server{Host: "claude-code", Name: "a", Transport: Stdio, Loaded: true, Written: Launch{Command: "x"}, file: &file{machine: m, host: &host{Name: "Claude Code"}}}
			if err := s.refusal(wrapHere); (err != nil) != (of == system) || err != nil && !strings.Contains(err.Error(), "(policy)") {
				t.Errorf("the settings of %s on %s: %v", of, system, err)
			}
		}
	}
}

// If a host would not start mcptea as it starts the command, the entry stays unchanged.
func TestWrap_CommandsThatTheHostReads(t *testing.T) {
	for _, tt := range []struct{ system, host, command, mcptea, reason string }{
		{"linux", "amazon-q", "~/bin/server", "/bin/mcptea", "command-expansion"},
		{"linux", "amazon-q", "$HOME/bin/server", "/bin/mcptea", "command-expansion"},
		{"linux", "amazon-q", "/opt/$NAME/server", "/bin/mcptea", "command-expansion"},
		{"linux", "amazon-q", "server", "/bin/mcptea", ""},
		{"linux", "amazon-q", "a~b", "/bin/mcptea", ""},
		{"linux", "crush", "~/bin/server", "/bin/mcptea", "command-expansion"},
		{"linux", "crush", "$HOME/bin/server", "/bin/mcptea", ""},
		{"linux", "zed", "~/bin/server", "/bin/mcptea", ""},
		{"windows", "continue", "server", `C:\Program Files\mcptea.exe`, "path-with-space"},
		{"windows", "cline", "server", `C:\Program Files\mcptea.exe`, "path-with-space"},
		{"windows", "cline", "server", `C:\bin\mcptea.exe`, ""},
		{"windows", "continue", "a server", `C:\bin\mcptea.exe`, ""},
		{"windows", "zed", "server", `C:\Program Files\mcptea.exe`, ""},
		{"linux", "cline", "server", "/opt/my tools/mcptea", ""},
	} {
		s := &Server{Host: tt.host, Name: "a", Transport: Stdio, Loaded: true, Written: Launch{Command: tt.command}, file: &file{machine: &Machine{OS: tt.system}, host: &host{Name: tt.host}}}
		reason := ""
		if refused, ok := errors.AsType[*RefusedError](s.refusal(WrapOptions{Mcptea: tt.mcptea})); ok {
			reason = refused.Reason
		}
		if reason != tt.reason {
			t.Errorf("%s on %s, %s through %s: %q, want %q", tt.host, tt.system, tt.command, tt.mcptea, reason, tt.reason)
		}
	}
}
