package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcptea/cli/settings"
	"mcptea/internal/system"
	"mcptea/record/filter"
	"mcptea/session/runs/usercommand"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) *settings.Config {
	t.Helper()
	c, err := settings.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func muted(t *testing.T, path string) string {
	t.Helper()
	var all []string
	for _, r := range read(t, path).Mute {
		all = append(all, r.Name)
	}
	return strings.Join(all, " ")
}

const complete = `# all keys
theme: nord
mouse: false

keys:
  follow.toggle: f
  filter.open: [/, ctrl+f]
  quit: []

mute:
  - J030
record:
  enabled: true
  dir: recordings
  limit: 500MB
timeouts: {request: 90s, connect: 5s, authorization: 2m}
servers: {notes: node server.js}
confirm: destructive
filters: {slow: "took:>1s", errors: "status:error or @slow"}
notify: false
restore: false
commands: {blame: "git log -S{tool}", keys: {run: [jq, keys], input: response, output: terminal, help: Show the keys}}
`

func TestRead_AllKeys(t *testing.T) {
	path := write(t, complete)
	c := read(t, path)
	want := &settings.Config{
		Theme: "nord", Confirm: settings.ConfirmDestructive, Keys: map[string][]string{"follow.toggle": {"f"}, "filter.open": {"/", "ctrl+f"}, "quit": {}},
		Mute:     []settings.Rule{{Name: "J030", Line: 11}},
		Record:   settings.Record{Enabled: true, Dir: filepath.Join(filepath.Dir(path), "recordings"), Limit: "500MB"},
		Timeouts: settings.Timeouts{Request: 90 * time.Second, Connect: 5 * time.Second, Authorization: 2 * time.Minute},
		Servers:  map[string]string{"notes": "node server.js"}, TLS: map[string]settings.TLS{},
		Filters: []filter.Named{{Name: "slow", Text: "took:>1s", Line: 19}, {Name: "errors", Text: "status:error or @slow", Line: 19}},
	}
	if blame, own := c.Commands[0], c.Commands[1]; blame.Name != "blame" || blame.Text != "git log -S{tool}" || blame.At != 22 ||
		own.Text != "jq keys" || own.Input != "response" || own.Output != usercommand.Terminal || own.Help != "Show the keys" {
		t.Errorf("commands %+v", c.Commands)
	}
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(settings.Config{}), cmpopts.IgnoreFields(settings.Config{}, "Commands")); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]int{"theme": 2, "mouse": 3, "keys.filter.open": 7, "mute": 10, "record.dir": 14, "timeouts.connect": 16, "servers.notes": 17, "filters.slow": 19} {
		if line, ok := c.Line(key); !ok || line != want {
			t.Errorf("%s: line %d, %v, want %d", key, line, ok, want)
		}
	}
	for _, k := range settings.Keys() {
		if _, ok := c.Line(k.Name); !ok && !slices.Contains([]string{"keys", "servers", "filters", "commands"}, k.Name) {
			t.Errorf("the test does not set %s", k.Name)
		}
	}
}

// The files of an entry are relative to the file of the configuration.
func TestRead_ServerWithTLS(t *testing.T) {
	path := write(t, "servers:\n  lab: {url: 'https://lab.test/mcp', cacert: [a.pem, /b.pem], cert: c.pem, key: c.key, tls-server-name: lab, insecure: true}\n  plain: {command: node server.js}\n  open: {url: 'https://x.test', cacert: a.pem}\n")
	in := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	root, err := filepath.Abs("/b.pem")
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, path)
	want := map[string]settings.TLS{
		"lab":  {CACert: []string{in("a.pem"), root}, Cert: in("c.pem"), Key: in("c.key"), ServerName: "lab", Insecure: true},
		"open": {CACert: []string{in("a.pem")}},
	}
	if diff := cmp.Diff(want, c.TLS); diff != "" {
		t.Error(diff)
	}
	if c.Servers["lab"] != "https://lab.test/mcp" || c.Servers["plain"] != "node server.js" {
		t.Errorf("servers %v", c.Servers)
	}
}

// A command runs without a question only if no text of a server is in it.
func TestRead_CommandWithoutQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"commands: {c: {run: 'jq . {response}', confirm: false}}":        "",
		"commands: {c: {run: 'gdb -p {pid}', confirm: true}}":            "",
		"commands: {c: {confirm: false, run: 'git log -S{tool}'}}":       "this command asks, since {tool} is not text of your own",
		"commands: {c: {confirm: false, run: 'cat', input: response}}":   "",
		"commands: {c: {confirm: false, run: 'curl {url}'}}":             "this command asks, since {url} is not text of your own",
		"commands: {c: {run: 'jq . {response}', confirm: 'no, thanks'}}": "true or false",
	} {
		c, err := settings.Read(t.Context(), write(t, text))
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		case err == nil && c.Commands[0].RunsAtOnce != strings.Contains(text, "confirm: false"):
			t.Errorf("%s: runs at once: %v", text, c.Commands[0].RunsAtOnce)
		}
	}
}

func TestRead_RecordAsBoolean(t *testing.T) {
	c := read(t, write(t, "record: false\n"))
	if line, ok := c.Line("record.enabled"); !ok || line != 1 || c.Record.Enabled {
		t.Errorf("line %d, %v, enabled %v", line, ok, c.Record.Enabled)
	}
}

func TestRead_NothingSet(t *testing.T) {
	for _, text := range []string{"", "# comment\n", "mute:\n", "theme:\nkeys:\n"} {
		if set := read(t, write(t, text)).Set(); len(set) > 0 {
			t.Errorf("%q sets %v", text, set)
		}
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none.yaml")} {
		if set := read(t, path).Set(); len(set) > 0 {
			t.Errorf("%q sets %v", path, set)
		}
	}
}

func TestRead_UnreachableDirectory(t *testing.T) {
	file := write(t, "")
	for _, home := range []string{file, filepath.Join(file, "home")} { // not directories
		t.Setenv("XDG_CONFIG_HOME", home)
		if set := read(t, settings.Path("", os.Getenv)).Set(); len(set) > 0 {
			t.Errorf("%s sets %v", home, set)
		}
	}
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if err := os.MkdirAll(system.ConfigDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings.Path("", os.Getenv), []byte("theme: nord"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(home, 0o700) }) //nolint:gosec // to be removed
	// The superuser and Windows can read it all the same.
	if _, err := settings.Read(t.Context(), settings.Path("", os.Getenv)); err != nil {
		t.Error(err)
	}
}

func TestRead_ErrorsNameLineAndType(t *testing.T) {
	for text, want := range map[string]string{
		"\nmuted: [J030]":                `config.yaml:2:1: unknown key "muted"; did you mean "mute"?`,
		"thme: nord":                     `config.yaml:1:1: unknown key "thme"; did you mean "theme"?`,
		"colors: nord":                   `config.yaml:1:1: unknown key "colors"; the keys are theme, mouse, notify, restore, confirm, keys, filters, commands, servers, mute, record, timeouts`,
		"timeouts:\n  reqest: 3s":        `config.yaml:2:3: unknown key "timeouts.reqest"; did you mean "request"?`,
		"record:\n  directory: x":        `config.yaml:2:3: unknown key "record.directory"; did you mean "dir"?`,
		"theme: [nord]":                  `config.yaml:1:8: theme: expected a string, found a list`,
		"confirm: all":                   `config.yaml:1:10: confirm: expected destructive or never, found "all"`,
		"mouse: 3":                       `config.yaml:1:8: mouse: expected true or false, found "3"`,
		"servers: {a b: x}":              `config.yaml:1:11: servers: the name "a b" is empty, begins with -, or contains a space or one of = # /`,
		"servers: {a: [x]}":              `config.yaml:1:14: servers.a: expected a command line, a URL or FILE#NAME, or a mapping with url or command, found a list`,
		"servers: {a: {ur: x}}":          `config.yaml:1:15: unknown key "servers.a.ur"; did you mean "url"?`,
		"servers: {a: {insecure: true}}": `config.yaml:1:14: servers.a: url or command is missing`,
		"servers: {a: {url: 'https://x', command: y}}":       `config.yaml:1:33: servers.a: a server has either url or command`,
		"servers:\n  a:\n    command: x\n    insecure: true": `config.yaml:4:5: servers.a: insecure is for a server with a url`,
		"servers: {a: {url: 'https://x', key: k}}":           `config.yaml:1:33: servers.a: key requires cert`,
		"servers: {a: {url: 'https://x', insecure: 3}}":      `config.yaml:1:43: servers.a.insecure: expected true or false, found "3"`,
		"servers: {a: {url: '.mcp.json#x', insecure: true}}": `config.yaml:1:14: servers.a.url: expected a URL that begins with http:// or https://, or with a variable, found ".mcp.json#x"`,
		"servers: {a: {url: 'https://x', insecure: }}":       `config.yaml:1:43: servers.a.insecure: expected true or false, found nothing`,
		"filters: [x]":                     `config.yaml:1:10: filters: expected a mapping, found a list`,
		"filters: {a: [x]}":                `config.yaml:1:14: filters.a: expected a filter such as status:error, found a list`,
		"filters:\n  a:":                   `config.yaml:2:5: filters.a: expected a filter such as status:error, found nothing`,
		"filters: {a b: x}":                `config.yaml:1:11: filters: the name "a b" has characters other than letters, digits, - and _`,
		"filters: {clear: x}":              `config.yaml:1:11: filters: the name "clear" is taken: filter.clear is a command of the inspector`,
		"insecure: true":                   `config.yaml:1:1: unknown key "insecure"`,
		"record: maybe":                    `config.yaml:1:9: record: expected true or false, found "maybe"`,
		"timeouts: 30s":                    `config.yaml:1:11: timeouts: expected a mapping, found "30s"`,
		"timeouts: {connect: 30}":          `config.yaml:1:21: timeouts.connect: expected a duration such as 500ms, 30s or 2m, found "30"`,
		"timeouts: {connect: -1s}":         `config.yaml:1:21: timeouts.connect: expected a duration`,
		"keys: [f]":                        `config.yaml:1:7: keys: expected a mapping, found a list`,
		"keys:\n  quit: {a: b}":            `config.yaml:2:9: keys.quit: expected a key such as ctrl+s, or a list of keys, found a mapping`,
		"keys:\n  quit: [[q]]":             `config.yaml:2:10: keys.quit: expected a key`,
		"keys:\n  quit: q\n  quit: x":      `config.yaml:3:3: the key "quit" is already set in line 2`,
		"mute: J030":                       `config.yaml:1:7: mute: expected a list of rules such as [J030, T001], found "J030"`,
		"nothing:":                         `config.yaml:1:1: unknown key "nothing"`,
		"- J030":                           `config.yaml:1:1: expected a mapping such as "theme: nord", found a list`,
		"mute:\n  - J030\n  - ":            `config.yaml:3:4: mute: expected the id or slug of a rule, such as J030, found nothing`,
		"mute: [J030":                      `config.yaml:1: `,
		"mute: [[J030]]":                   `config.yaml:1:8: mute: expected the id or slug of a rule, such as J030, found a list`,
		"mute: []\n---\na: 1\n":            `config.yaml:2:1: expected one YAML document, found several`,
		"mute: &a []\ntheme: *a":           `config.yaml:2:8: theme: expected a string, found an alias`,
		"theme: \"\xff\"":                  `config.yaml: not valid UTF-8`,
		"theme: nord\nrecord:\n - enabled": `config.yaml:3:2: record: expected a mapping, found a list`,
	} {
		path := write(t, text)
		_, err := settings.Read(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if _, parsed := settings.Parse(path, []byte(text)); parsed == nil || err == nil || parsed.Error() != err.Error() {
			t.Errorf("%q: %v as a text, %v as a file", text, parsed, err)
		}
		if err := settings.Mute(t.Context(), path, "T001", "some-rule", true); err == nil {
			t.Errorf("%q was edited", text)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%q was changed to %q", text, now)
		}
	}
}

func TestMute_ChangesOneLine(t *testing.T) {
	const before = "# mine\n\ntheme:   nord\n\nmute:\n    # a server that I cannot change\n    - J030\n    - Not-JSON # loud\n\n# below\nmouse: no\n"
	path := write(t, before)
	if err := settings.Mute(t.Context(), path, "T001", "some-rule", true); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(before, "# loud\n", "# loud\n    - T001 # some-rule\n", 1)
	if now, _ := os.ReadFile(path); string(now) != want {
		t.Errorf("the file is now\n%s", now)
	}
	if err := settings.Mute(t.Context(), path, "J001", "not-json", false); err != nil { // by its other name
		t.Fatal(err)
	}
	if err := settings.Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil { // already there
		t.Fatal(err)
	}
	want = strings.Replace(want, "    - Not-JSON # loud\n", "", 1)
	if now, _ := os.ReadFile(path); string(now) != want {
		t.Errorf("the file is now\n%s", now)
	}
	if err := settings.Mute(t.Context(), path, "J030", "response-unknown-id", false); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, "    # a server that I cannot change\n    - J030\n", "", 1)
	if now, _ := os.ReadFile(path); string(now) != want {
		t.Errorf("the file is now\n%s", now)
	}
}

func TestMute_AnyLayout(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "mute:\n  - J030 # response-unknown-id\n",
		"theme: nord":                  "theme: nord\nmute:\n  - J030 # response-unknown-id\n",
		"# comment\n":                  "# comment\nmute:\n  - J030 # response-unknown-id\n",
		"mute:\n":                      "mute:\n  - J030 # response-unknown-id\n",
		"mute: []\n":                   "mute:\n  - J030 # response-unknown-id\n",
		"mute: [T001]\nmouse: true\n":  "mute:\n  - T001\n  - J030 # response-unknown-id\nmouse: true\n",
		"mute:\n  -\n    T001\n":       "mute:\n  - T001\n  - J030 # response-unknown-id\n",
		"mute:\n- T001\nmouse: true\n": "mute:\n- T001\n- J030 # response-unknown-id\nmouse: true\n",
	} {
		path := write(t, text)
		if err := settings.Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil {
			t.Fatal(err)
		}
		if now, _ := os.ReadFile(path); string(now) != want {
			t.Errorf("%q has become %q, want %q", text, now, want)
		}
		if err := settings.Mute(t.Context(), path, "J030", "response-unknown-id", false); err != nil {
			t.Fatal(err)
		}
		if got := muted(t, path); got != strings.Join(strings.Fields(strings.Trim(muted(t, write(t, text)), " ")), " ") {
			t.Errorf("%q: mutes %q after the rule was removed", text, got)
		}
	}
}

func TestMute_CreatesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config.yaml")
	if err := settings.Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); string(now) != "mute:\n  - J030 # response-unknown-id\n" {
		t.Errorf("the file is\n%s", now)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the mode is %v", info.Mode())
	}
	if err := settings.Mute(t.Context(), "", "J030", "response-unknown-id", true); err == nil {
		t.Error("there is no error without a file")
	}
}

func TestMute_KeepsSymbolicLink(t *testing.T) {
	target := write(t, "mute: [J030]\n")
	link := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if err := settings.Mute(t.Context(), link, "T001", "some-rule", true); err != nil {
		t.Fatal(err)
	}
	if got := muted(t, target); got != "J030 T001" {
		t.Errorf("the target of the link mutes %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
}

func TestPath(t *testing.T) {
	t.Setenv("MCPTEA_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "etc"))
	standard := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "mcptea", "config.yaml")
	for _, tc := range []struct{ flag, env, want string }{
		{"", "", standard},
		{"", "other.yaml", "other.yaml"},
		{"", "off", ""},
		{"mine.yaml", "other.yaml", "mine.yaml"},
		{"off", "other.yaml", ""},
	} {
		t.Setenv("MCPTEA_CONFIG", tc.env)
		if got := settings.Path(tc.flag, os.Getenv); got != tc.want {
			t.Errorf("--config %q, MCPTEA_CONFIG=%q: %s, want %s", tc.flag, tc.env, got, tc.want)
		}
	}
}

func FuzzMute(f *testing.F) {
	for _, s := range []string{"", "mute: [J030]", "# a\nmute:\n  - J030 # b\n", "mute: &a [J030]", "mute: *a", "{mute: [x]}", "---\n...\n---\n", complete, "mute:\r\n- x\r\n", "mute:\n- |\n  x\n"} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "config.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := settings.Read(t.Context(), path)
		if err != nil {
			return
		}
		if err := settings.Mute(t.Context(), path, "T777", "some-rule", true); err != nil {
			return
		}
		after, err := settings.Read(t.Context(), path)
		if err != nil {
			t.Fatalf("the edited file cannot be read: %v", err)
		}
		if !slices.Equal(before.Set(), slices.DeleteFunc(after.Set(), func(key string) bool { return key == "mute" && !slices.Contains(before.Set(), key) })) {
			t.Fatalf("%v were set, %v are", before.Set(), after.Set())
		}
		if len(after.Mute) < len(before.Mute) {
			t.Fatal("a rule was lost")
		}
		for i, r := range before.Mute {
			if after.Mute[i].Name != r.Name {
				t.Fatalf("%q was changed to %q", r.Name, after.Mute[i].Name)
			}
		}
	})
}
