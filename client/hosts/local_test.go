package hosts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/system"
)

// home makes a home directory with files and returns its machine.
func home(t *testing.T, files map[string]string) *Machine {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := LocalMachine(filepath.Join(dir, "p"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func discover(t *testing.T, m *Machine, ids ...string) *Configuration {
	t.Helper()
	c, err := Discover(t.Context(), m, ids...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDiscover_UnreadableFiles(t *testing.T) {
	m := home(t, map[string]string{".cursor/mcp.json/x": "", ".kiro/settings/mcp.json": strings.Repeat(" ", maxFileBytes+1)})
	c := discover(t, m, "cursor", "kiro")
	if len(c.Problems) != 2 || c.Problems[0].ID != "F001" || c.Problems[1].ID != "F001" {
		t.Fatalf("got %+v", c.Problems)
	}
	if !strings.Contains(c.Problems[0].Message, "is a directory") || !strings.Contains(c.Problems[1].Message, "more than the maximum") {
		t.Errorf("got %s %s", c.Problems[0].Message, c.Problems[1].Message)
	}
	m.Read = func(path string, _ int64) ([]byte, fs.FileMode, error) {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	c = discover(t, m, "cursor")
	if len(c.Problems) != 1 || c.Problems[0].Message != "Cannot read ~"+string(filepath.Separator)+filepath.Join(".cursor", "mcp.json")+": permission denied." {
		t.Errorf("got %+v", c.Problems)
	}
}

// A file that is there and cannot be reached is reported, and not taken for absent.
func TestDiscover_LinkToItself(t *testing.T) {
	m := home(t, map[string]string{".cursor/x": ""})
	path := filepath.Join(m.Home, ".cursor", "mcp.json")
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err) // Windows has links for administrators
	}
	c := discover(t, m, "cursor")
	if len(c.Problems) != 1 || c.Problems[0].ID != "F001" || !strings.Contains(c.Problems[0].Message, "too many levels of symbolic links") {
		t.Errorf("%+v", c.Problems)
	}
}

func TestDiscover_Bounds(t *testing.T) {
	if maxFileBytes != 16<<20 {
		t.Errorf("a file may have %d bytes", maxFileBytes)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte("{}  "), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, _, err := system.ReadRegular(path, 4); err != nil || len(data) != 4 {
		t.Errorf("a file of the maximum size: %d bytes, %v", len(data), err)
	}
	if _, _, err := system.ReadRegular(path, 3); err == nil || !strings.Contains(err.Error(), "4 bytes, more than the maximum of 3") {
		t.Errorf("one byte more: %v", err)
	}
	for _, n := range []int{1000, 1001} {
		var entries []string
		for i := range n {
			entries = append(entries, fmt.Sprintf(`"s%d":{"command":"true"}`, i))
		}
		c := discover(t, home(t, map[string]string{".cursor/mcp.json": `{"mcpServers":{` + strings.Join(entries, ",") + `}}`}), "cursor")
		if len(c.Servers) != 1000 {
			t.Errorf("of %d servers in a file %d are read", n, len(c.Servers))
		}
	}
}

func TestDiscover_CanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Discover(ctx, home(t, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMachine_TrustOfCodex(t *testing.T) {
	m := home(t, map[string]string{"p/.codex/config.toml": "[mcp_servers.a]\ncommand = 'true'\n"})
	if s := discover(t, m, "codex").Servers; len(s) != 1 || s[0].Loaded {
		t.Fatalf("the server of an untrusted project is loaded: %+v", s)
	}
	if err := os.MkdirAll(filepath.Join(m.Home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[projects.'" + m.Project + "']\ntrust_level = \"trusted\"\n"
	if err := os.WriteFile(filepath.Join(m.Home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := discover(t, m, "codex").Servers; len(s) != 1 || !s[0].Loaded || !s[0].Effective {
		t.Errorf("the server of a trusted project is not loaded: %+v", s)
	}
}

func TestMachine_TrackedByGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	m := home(t, map[string]string{"p/.mcp.json": "{}", "p/x.mcp.json": "{}", "p/new.json": "{}"})
	for _, args := range [][]string{{"init", "-q"}, {"add", ".mcp.json", "x.mcp.json"}} {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = m.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for name, want := range map[string]bool{".mcp.json": true, "x.mcp.json": true, "new.json": false, "mcp.json": false} {
		if got := tracked(filepath.Join(m.Dir, name)); got != want {
			t.Errorf("tracked(%s) = %v", name, got)
		}
	}
}

func TestMachine_PlacesOfSystems(t *testing.T) {
	for _, c := range []struct {
		os, host string
		env      map[string]string
		want     []string
	}{
		{"linux", "claude-desktop", nil, []string{"/h/.config/Claude/claude_desktop_config.json", "/h/.config/claude/claude_desktop_config.json"}},
		{"linux", "vscode", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/x/Code/User/mcp.json"}},
		{"darwin", "claude-desktop", nil, []string{"/h/Library/Application Support/Claude/claude_desktop_config.json"}},
		{"darwin", "zed", nil, []string{"/h/.config/zed/settings.json"}},
		{"windows", "zed", map[string]string{"APPDATA": `C:\A`}, []string{`C:\A\Zed\settings.json`}},
		{"windows", "goose", map[string]string{"APPDATA": `C:\A`}, []string{`C:\A\Block\goose\config\config.yaml`}},
		{"linux", "codex", map[string]string{"CODEX_HOME": "/c"}, []string{"/c/config.toml"}},
		{"linux", "opencode", map[string]string{"OPENCODE_CONFIG": "/o/x.json"}, []string{"/o/x.json"}},
		{"linux", "inspector", map[string]string{"MCP_CATALOG_PATH": "/i/x.json"}, []string{"/i/x.json"}},
		{"darwin", "claude-code", nil, []string{"/h/.claude.json", "/Library/Application Support/ClaudeCode/managed-mcp.json"}},
		{"windows", "claude-code", nil, []string{`C:\Program Files\ClaudeCode\managed-mcp.json`}},
	} {
		home := "/h"
		if c.os == "windows" {
			home = `C:\h`
		}
		w := world{OS: c.os, Home: home, Project: home, Cwd: home, Env: c.env, Commands: []byte("[]")}
		m := w.machine(t, nil)
		var places []string
		for _, h := range allHosts() {
			if h.ID != c.host {
				continue
			}
			for _, l := range h.files {
				if l.existsOn(c.os) {
					places = append(places, m.resolve(l.Path, l.Variable))
				}
			}
		}
		for _, want := range c.want {
			if !slices.Contains(places, want) {
				t.Errorf("%s on %s: %q is not among %q", c.host, c.os, want, places)
			}
		}
	}
}

func TestLaunch_RedactedSecrets(t *testing.T) {
	l := Launch{
		Command: "serve", Args: []string{"--api-key=invented-4711"}, URL: "https://h/x?api_key=invented-99",
		Env:     []Field{{Name: "API_KEY", Value: "invented-1"}, {Name: "TOKEN", Value: "${TOKEN}"}, {Name: "MODE", Value: "fast"}},
		Headers: []Field{{Name: "Authorization", Value: "Bearer invented-2"}},
	}
	r := l.Redacted()
	all := strings.Join(append(r.Args, r.Command, r.URL, r.Env[0].Value, r.Headers[0].Value), " ")
	if strings.Contains(all, "invented") {
		t.Errorf("a secret is shown: %s", all)
	}
	if r.Env[1].Value != "${TOKEN}" || r.Env[2].Value != "fast" || l.Env[0].Value != "invented-1" {
		t.Errorf("got %+v of %+v", r.Env, l.Env)
	}
}

// A variable names a file of the user, except a file in the project: an env file of the project may set
// the variable. The home directory is not a project of others.
func TestInProject_FileOfAVariable(t *testing.T) {
	for _, c := range []struct {
		project, file string
		want          bool
	}{
		{"/p", "/p/x.json", true},
		{"/p", "/p/sub/../x.json", true},
		{"/p", "/o/x.json", false},
		{"/p", "/pp/x.json", false},
		{"/h", "/h/x.json", false},
		{"/", "/o/x.json", false},
		{"/h/p", "/h/p/x.json", true},
		{"/h/p", "/h/x.json", false},
	} {
		w := world{OS: "linux", Home: "/h", Project: c.project, Cwd: c.project, Env: map[string]string{"OPENCODE_CONFIG": c.file}, Commands: []byte("[]")}
		text := []byte(`{"mcp":{"a":{"type":"local","command":["node","x.js"]}}}`)
		found, err := Discover(t.Context(), w.machine(t, map[string][]byte{c.file: text}), "opencode")
		if err != nil || len(found.Servers) != 1 {
			t.Errorf("%s in %s: %v, %v", c.file, c.project, found.Servers, err)
			continue
		}
		if got := found.Servers[0].InProject(); got != c.want {
			t.Errorf("%s in %s: in the project is %v", c.file, c.project, got)
		}
	}
}

// What an entry has that its host reads in another way is said, by the id of its row.
func TestDiscover_ProblemsOfEntries(t *testing.T) {
	for _, c := range []struct{ host, file, text, id, says string }{
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"A":"${NO_SUCH_VALUE}"}}}}`, "F040", "Environment variable NO_SUCH_VALUE is not set here."},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"A":"${SET_VALUE}"}}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a b":{"command":"x"}}}`, "F027", `Server name "a b": Claude Code allows letters, digits, - and _. Rename the entry.`},
		{"gemini-cli", "/p/.gemini/settings.json", `{"mcpServers":{"a_b":{"command":"x"}}}`, "F027", `Server name "a_b": an underscore breaks the tool rules of Gemini CLI. Use - instead.`},
		{"gemini-cli", "/p/.gemini/settings.json", `{"mcpServers":{"a-b":{"command":"x"}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"npx","args":["notes"]}}}`, "F047", `"npx" without "-y" asks before it installs`},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"npm","args":["exec","notes"]}}}`, "F047", `"npm" without "-y" asks before it installs`},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"npx","args":["-y","notes"]}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"DATABASE":"postgres://ann:hunter22@h/db"}}}}`, "F060", "DATABASE"},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"DATABASE":"postgres://h/db"}}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"wsl.exe","args":["node","s.js"],"env":{"MODE":"a","LEVEL":"b"}}}}`, "F051", `wsl.exe does not pass MODE, LEVEL to Linux: WSLENV does not name it. Add "WSLENV": "MODE/u:LEVEL/u" to the variables`},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"C:\\\\Windows\\\\System32\\\\wsl.exe","args":["node"],"env":{"MODE":"a","WSLENV":"OTHER/p"}}}}`, "F051", `Add "WSLENV": "OTHER/p:MODE/u"`},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"wsl","args":["node","s.js"],"env":{"MODE":"a","LEVEL":"b","WSLENV":"MODE/u:LEVEL"}}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"wsl.exe","args":["-e","env","MODE=a","node"],"env":{"MODE":"a"}}}}`, "", ""},
		{"claude-code", "/p/.mcp.json", `{"mcpServers":{"a":{"command":"wsl.exe","args":["node"]}}}`, "", ""},
	} {
		w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Env: map[string]string{"SET_VALUE": "1"}, Commands: []byte("[]"), Paths: []string{"/bin/x"}, Trusted: true}
		found, err := Discover(t.Context(), w.machine(t, map[string][]byte{c.file: []byte(c.text)}), c.host)
		if err != nil || len(found.Servers) != 1 {
			t.Fatalf("%s: %v, %v", c.text, found.Servers, err)
		}
		says := ""
		for _, q := range found.Servers[0].Problems {
			if slices.Contains([]string{"F027", "F040", "F047", "F051", "F060"}, q.ID) {
				says += q.ID + " " + q.Message
			}
		}
		if c.id == "" && says != "" || c.id != "" && (!strings.HasPrefix(says, c.id) || !strings.Contains(says, c.says)) {
			t.Errorf("%s: %q, want %s %q", c.text, says, c.id, c.says)
		}
	}
}

// A file in a place that a host does not read is named, with the file that it reads; the same file is read
// where the place is one that it reads.
func TestDiscover_FilesThatAreNotRead(t *testing.T) {
	const servers, settings = `{"mcpServers":{"a":{"command":"x"}}}`, `{"mcp":{"servers":{"a":{"command":"x"}}}}`
	for _, c := range []struct{ host, file, text, instead string }{
		{"claude-code", "/p/.claude/.mcp.json", servers, ".mcp.json"},
		{"claude-code", "/p/.claude/mcp.json", servers, ".mcp.json"},
		{"claude-code", "/p/mcp.json", servers, ".mcp.json"},
		{"claude-code", "/h/.claude/mcp.json", servers, "~/.claude.json"},
		{"claude-code", "/h/.claude/.mcp.json", servers, "~/.claude.json"},
		{"claude-code", "/h/.mcp.json", servers, "~/.claude.json"},
		{"claude-code", "/p/.mcp.json", servers, ""},
		{"claude-code", "/p/mcp.json", `{"name":"something else"}`, "-"},
		{"vscode", "/p/.vscode/settings.json", settings, ".vscode/mcp.json"},
		{"vscode", "/p/.vscode/settings.json", `{"editor.tabSize":4}`, "-"},
		{"gemini-cli", "/p/.gemini/mcp.json", servers, ".gemini/settings.json"},
		{"gemini-cli", "/h/.gemini/mcp.json", servers, "~/.gemini/settings.json"},
	} {
		w := world{OS: "linux", Home: "/h", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/x"}, Trusted: true}
		found, err := Discover(t.Context(), w.machine(t, map[string][]byte{c.file: []byte(c.text)}), c.host)
		if err != nil {
			t.Fatal(err)
		}
		says := ""
		for _, q := range found.Problems {
			says += q.ID + " " + q.Message
		}
		switch {
		case c.instead == "-" && (says != "" || len(found.Servers) > 0), c.instead == "" && says != "":
			t.Errorf("%s: %q, %v", c.file, says, found.Servers)
		case c.instead == "-", c.instead == "":
		case !strings.HasPrefix(says, "F009 ") || !strings.HasSuffix(says, "does not read MCP servers from this file. Move the entry to "+c.instead+".") || len(found.Servers) != 1 || found.Servers[0].Effective:
			t.Errorf("%s: %q, %v", c.file, says, found.Servers)
		}
	}
	// The home directory as the project: its .mcp.json is that of the project.
	w := world{OS: "linux", Home: "/h", Project: "/h", Cwd: "/h", Commands: []byte("[]"), Paths: []string{"/bin/x"}, Trusted: true}
	found, err := Discover(t.Context(), w.machine(t, map[string][]byte{"/h/.mcp.json": []byte(servers)}), "claude-code")
	if err != nil || len(found.Problems) > 0 || len(found.Servers) != 1 || !found.Servers[0].Loaded {
		t.Errorf("at home: %v, %v, %v", found.Problems, found.Servers, err)
	}
}

// A file that another program has locked is waited for; a lock of a program that has ended does not count,
// and where there can be no lock that is said at once.
func TestLockFile_Waits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.Mkdir(path+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	freed := make(chan error, 1)
	time.AfterFunc(2*lockInterval, func() { freed <- os.Remove(path + ".lock") })
	unlock, err := lockFile(path)
	if again := <-freed; err != nil || again != nil {
		t.Fatalf("it was not waited for: %v, %v", err, again)
	}
	old := time.Now().Add(-2 * lockStale)
	if err := os.Chtimes(path+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(path); err != nil {
		t.Errorf("an old lock counts: %v", err)
	}
	unlock()
	if _, err := os.Stat(path + ".lock"); !os.IsNotExist(err) {
		t.Errorf("the lock remains: %v", err)
	}
	if _, err := lockFile(filepath.Join(path, "none", "x.json")); err == nil || !strings.HasPrefix(err.Error(), "cannot lock the file: ") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

// A lock that is held for longer is told after three seconds.
func TestLockFile_HeldForLonger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.Mkdir(path+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now() // before the lock was made: a bubble begins in 2000
		time.AfterFunc(time.Minute, func() { _ = os.Remove(path + ".lock") })
		_, err := lockFile(path)
		if waited := time.Since(start); err == nil || !errors.Is(err, os.ErrExist) || waited < 3*time.Second || waited > 4*time.Second {
			t.Errorf("after %v: %v", waited, err)
		}
	})
	if _, err := os.Stat(path + ".lock"); err != nil {
		t.Errorf("the lock of another program was removed: %v", err)
	}
}
