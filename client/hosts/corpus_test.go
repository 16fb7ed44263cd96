package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client/hosts/syntax"
)

// corpus is the folder of configurations with the expected results: the one in the
// variable, or the one beside the repository; empty if it does not exist. The tests
// always run over the small one in testdata.
func corpora(t *testing.T) []string {
	t.Helper()
	all := []string{"testdata"}
	dir := os.Getenv("MCPTEA_HOSTS_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "hosts-corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "expect.json")); err == nil {
		all = append(all, dir)
	}
	return all
}

type world struct {
	OS      string            `json:"os"`
	Home    string            `json:"home"`
	Project string            `json:"project"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	// Commands is a list of names, or name → path.
	Commands json.RawMessage   `json:"commands"`
	Paths    []string          `json:"paths"`
	Tracked  []string          `json:"tracked"`
	Mode     map[string]string `json:"mode"`
	Trusted  bool              `json:"trusted"`
	Mcptea   string            `json:"mcptea"`
	Port     int               `json:"port"`
}

type wantServer struct {
	Name, Transport, Declared, Command, URL, Cwd, Scope, Project, Image string
	EnvFile                                                             string `json:"env_file"`
	Args                                                                []string
	Env                                                                 map[string]*string
	EnvForward                                                          []string `json:"env_forward"`
	Headers                                                             map[string]string
	HeadersHelper                                                       string `json:"headers_helper"`
	BearerEnv                                                           string `json:"bearer_env"`
	OAuth                                                               *struct {
		ClientID string `json:"client_id"`
		Scopes   []string
	}
	TimeoutMS        int64 `json:"timeout_ms"`
	StartupTimeoutMS int64 `json:"startup_timeout_ms"`
	RequestTimeoutMS int64 `json:"request_timeout_ms"`
	Disabled         bool
	DisabledBy       string   `json:"disabled_by"`
	ToolsAllow       []string `json:"tools_allow"`
	ToolsDeny        []string `json:"tools_deny"`
	ToolsAuto        []string `json:"tools_auto"`
	Extra            []string
	Loaded           *bool
	Fragment         bool
	Wrapped          bool
	Expanded         json.RawMessage
}

type wantProblem struct {
	ID, Severity, Server, Pointer, File, Host string
	Line                                      int
	Near, Name, Want, Got, Write, Hint        string
}

type expectation struct {
	World world `json:"world"`
	Cases []struct {
		File, Host, Scope, Path, Format string
		World                           json.RawMessage
		Wrap                            []struct{ Server, File, Refuse string }
		Servers                         []wantServer
		Problems                        []wantProblem
	}
	Sets []struct {
		Name, Note string
		Files      []string
		Hosts      []string
		Trusted    *bool
		Partial    bool
		Effective  map[string]string
		Disabled   []string
		Problems   []wantProblem
	}
}

func loadExpectation(t *testing.T, dir string) (e expectation) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// machine is the simulated computer, with some files.
func (w *world) machine(t *testing.T, files map[string][]byte) *Machine {
	t.Helper()
	commands := map[string]string{}
	if err := json.Unmarshal(w.Commands, &commands); err != nil {
		var names []string
		if err := json.Unmarshal(w.Commands, &names); err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			commands[n] = "/usr/bin/" + n
		}
	}
	m := &Machine{OS: w.OS, Home: w.Home, Dir: w.Cwd, Project: w.Project}
	m.LookupEnv = func(name string) (string, bool) { v, ok := w.Env[name]; return v, ok }
	m.Exists = func(p string) bool { return files[p] != nil || slices.Contains(w.Paths, p) }
	m.LookPath = func(name string) (string, bool) { p, ok := commands[name]; return p, ok }
	m.Read = func(p string, _ int64) ([]byte, fs.FileMode, error) {
		data, ok := files[p]
		if !ok {
			return nil, 0, fs.ErrNotExist
		}
		mode := fs.FileMode(0o644)
		if !strings.HasPrefix(p, w.Project) && w.Mode["user"] == "0600" {
			mode = 0o600
		}
		return data, mode, nil
	}
	m.Names = func(dir string) []string {
		names := map[string]bool{}
		for p := range files {
			if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, m.separator())+m.separator()); ok {
				first, _, _ := strings.Cut(rest, m.separator())
				names[first] = true
			}
		}
		return slices.Sorted(maps.Keys(names))
	}
	m.Tracked = func(p string) bool {
		rest, ok := strings.CutPrefix(p, w.Project+m.separator())
		return ok && slices.Contains(w.Tracked, rest)
	}
	m.Trusted = func(string, string) bool { return w.Trusted }
	return m
}

// place is the path of a case on its machine.
func (w *world) place(p string) string {
	sep := "/"
	if w.OS == "windows" {
		sep = `\`
	}
	for name, dir := range map[string]string{"~": w.Home, "PROJ": w.Project, "SLN": w.Project, "%APPDATA%": w.Env["APPDATA"], "%USERPROFILE%": w.Home} {
		if rest, ok := strings.CutPrefix(p, name+sep); ok {
			return dir + sep + rest
		}
	}
	return p
}

func TestDiscover_Corpus(t *testing.T) {
	for _, dir := range corpora(t) {
		e := loadExpectation(t, dir)
		for _, c := range e.Cases {
			t.Run(path.Join(filepath.Base(dir), c.File), func(t *testing.T) {
				w := e.World
				if c.World != nil {
					w = loadExpectation(t, dir).World // decoding into e.World would change its lists
					if err := json.Unmarshal(c.World, &w); err != nil {
						t.Fatal(err)
					}
				}
				data, err := os.ReadFile(filepath.Join(dir, c.File))
				if err != nil {
					t.Fatal(err)
				}
				if data == nil {
					data = []byte{}
				}
				where := w.place(c.Path)
				found, err := Discover(t.Context(), w.machine(t, map[string][]byte{where: data}), c.Host)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(found.Files, []File{{c.Host, where}}) {
					t.Fatalf("files %q, want %q", found.Files, where)
				}
				if len(found.Servers) != len(c.Servers) {
					t.Errorf("%d servers, want %d", len(found.Servers), len(c.Servers))
				}
				for i := range min(len(found.Servers), len(c.Servers)) {
					compareServer(t, found.Servers[i], &c.Servers[i], c.Scope, c.Format)
				}
				compareProblems(t, allProblems(found), c.Problems, false)
			})
		}
	}
}

func allProblems(c *Configuration) []Problem {
	all := slices.Clone(c.Problems)
	for _, s := range c.Servers {
		all = append(all, s.Problems...)
	}
	return all
}

func compareServer(t *testing.T, s *Server, want *wantServer, scope, format string) {
	t.Helper()
	check := func(field string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
			t.Errorf("server %q: %s is %s, want %s", s.Name, field, g, w)
		}
	}
	if want.Scope != "" {
		scope = want.Scope
	}
	check("name", s.Name, want.Name)
	check("scope", string(s.Scope), scope)
	if got := strings.ReplaceAll(string(s.Source.Format), string(syntax.JSONComments), "jsonc"); got != format {
		t.Errorf("format is %s, want %s", got, format)
	}
	check("project", s.Project, want.Project)
	check("transport", string(s.Transport), want.Transport)
	check("declared", s.Declared, want.Declared)
	check("image", s.Image, want.Image)
	env := map[string]string{}
	for name, v := range want.Env {
		env[name] = "(unset)"
		if v != nil {
			env[name] = *v
		}
	}
	l := map[string]any{
		"command": want.Command, "args": noNil(want.Args), "cwd": want.Cwd, "env_file": want.EnvFile, "url": want.URL, "env": env, "headers": noNilMap(want.Headers),
	}
	for name, v := range launchFields(&s.Written) {
		check(name, v, l[name])
	}
	if len(want.Expanded) > 0 {
		var x map[string]any
		if err := json.Unmarshal(want.Expanded, &x); err != nil {
			t.Fatal(err)
		}
		for name, v := range x {
			l[name] = v
		}
	}
	for name, v := range launchFields(&s.Expanded) {
		check("expanded "+name, v, l[name])
	}
	check("env_forward", noNil(s.EnvForward), noNil(want.EnvForward))
	check("headers_helper", s.HeadersHelper, want.HeadersHelper)
	check("bearer_env", s.BearerEnv, want.BearerEnv)
	var id string
	var scopes []string
	if want.OAuth != nil {
		id, scopes = want.OAuth.ClientID, want.OAuth.Scopes
	}
	if (s.OAuth != nil) != (want.OAuth != nil) {
		t.Errorf("server %q: oauth is %v", s.Name, s.OAuth)
	} else if s.OAuth != nil {
		check("oauth", *s.OAuth, OAuth{id, scopes})
	}
	check("timeout", fmt.Sprint(s.Timeout.Milliseconds(), s.StartupTimeout.Milliseconds(), s.RequestTimeout.Milliseconds()),
		fmt.Sprint(want.TimeoutMS, want.StartupTimeoutMS, want.RequestTimeoutMS))
	check("disabled", fmt.Sprint(s.Disabled, s.DisabledBy), fmt.Sprint(want.Disabled, want.DisabledBy))
	check("allow", noNil(s.ToolsAllow), noNil(want.ToolsAllow))
	check("deny", noNil(s.ToolsDeny), noNil(want.ToolsDeny))
	check("auto", noNil(s.ToolsAuto), noNil(want.ToolsAuto))
	check("extra", noNil(s.Extra), noNil(want.Extra))
	check("loaded", fmt.Sprint(s.Loaded), fmt.Sprint(want.Loaded == nil || *want.Loaded))
	check("fragment", fmt.Sprint(s.Fragment), fmt.Sprint(want.Fragment))
	check("wrapped", fmt.Sprint(s.Wrapped), fmt.Sprint(want.Wrapped))
}

func launchFields(l *Launch) map[string]any {
	env := map[string]string{}
	for _, f := range l.Env {
		env[f.Name] = f.Value
		if f.Unset {
			env[f.Name] = "(unset)"
		}
	}
	headers := map[string]string{}
	for _, f := range l.Headers {
		headers[f.Name] = f.Value
	}
	return map[string]any{"command": l.Command, "args": noNil(l.Args), "cwd": l.Dir, "env_file": l.EnvFile, "url": l.URL, "env": env, "headers": headers}
}

func noNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func noNilMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// compareProblems compares in any order. The details of the expectation are looked
// for in the message.
func compareProblems(t *testing.T, got []Problem, want []wantProblem, partial bool) {
	t.Helper()
	left := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(left, func(p Problem) bool {
			return p.ID == w.ID && string(p.Severity) == severityOf(w.Severity) && p.Server == w.Server && (w.Line == 0 || p.Pointer == w.Pointer && p.Line == w.Line) &&
				(w.File == "" || p.File == w.File) && (w.Host == "" || p.Host == w.Host)
		})
		if i < 0 {
			t.Errorf("missing: %+v", w)
			continue
		}
		for _, detail := range []string{w.Near, w.Name, w.Want, w.Got, w.Write, w.Hint} {
			if !strings.Contains(left[i].Message, detail) {
				t.Errorf("%s: the message does not contain %q: %s", w.ID, detail, left[i].Message)
			}
		}
		if w.ID == "F020" && w.Near != "" && !strings.Contains(left[i].Message, `"`+w.Near+`"`) {
			t.Errorf("%s does not suggest %q: %s", w.ID, w.Near, left[i].Message)
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, p := range left {
		if !partial {
			t.Errorf("not expected: %s %s %q %s line %d: %s", p.ID, p.Severity, p.Server, p.Pointer, p.Line, p.Message)
		}
	}
}

func TestDiscover_CorpusSets(t *testing.T) {
	for _, dir := range corpora(t) {
		e := loadExpectation(t, dir)
		for _, set := range e.Sets {
			t.Run(path.Join(filepath.Base(dir), set.Name), func(t *testing.T) {
				w := e.World
				if set.Trusted != nil {
					w.Trusted = *set.Trusted
				}
				files, names := map[string][]byte{}, map[string]string{}
				hosts := set.Hosts
				single := []Problem{}
				for _, name := range set.Files {
					for _, c := range e.Cases {
						if c.File != name {
							continue
						}
						data, err := os.ReadFile(filepath.Join(dir, c.File))
						if err != nil {
							t.Fatal(err)
						}
						files[w.place(c.Path)], names[w.place(c.Path)] = data, name
						if len(set.Hosts) == 0 && !slices.Contains(hosts, c.Host) {
							hosts = append(hosts, c.Host)
						}
						alone := e.World.machine(t, map[string][]byte{w.place(c.Path): data})
						found, _ := Discover(t.Context(), alone, c.Host)
						single = append(single, allProblems(found)...)
					}
				}
				found, err := Discover(t.Context(), w.machine(t, files), hosts...)
				if err != nil {
					t.Fatal(err)
				}
				effective := map[string]string{}
				var disabled []string
				for _, s := range found.Servers {
					if !s.Effective || s.Disabled && s.DisabledBy != "entry" {
						continue
					}
					effective[s.Name] = names[s.Source.File]
					if s.Merged != "" {
						effective[s.Name] += "+" + names[s.Merged]
					}
					if s.Disabled {
						disabled = append(disabled, s.Name)
					}
				}
				if !set.Partial && (!maps.Equal(effective, set.Effective) || !slices.Equal(disabled, set.Disabled)) {
					t.Errorf("effective %v %v, want %v %v", effective, disabled, set.Effective, set.Disabled)
				}
				var extra []Problem
				for _, p := range allProblems(found) {
					if !slices.Contains(single, p) {
						p.File = names[p.File]
						extra = append(extra, p)
					}
				}
				compareProblems(t, extra, set.Problems, set.Partial)
			})
		}
	}
}

// FuzzLoad expects that no file makes discovery panic, and that every problem is
// inside the file.
func FuzzLoad(f *testing.F) {
	f.Add("claude-code", []byte(`{"mcpServers":{"a":{"command":"${X:-y}","args":["tap"],"env":{"A":"$(b)"}}}}`))
	f.Add("codex", []byte("mcp_servers.a = { command = 'b', args = [1] }\n"))
	f.Add("goose", []byte("extensions:\n  a: {cmd: docker, args: [run, -t]}\n"))
	f.Add("registry", []byte(`{"name":"a/b","packages":[{"transport":null}],"remotes":[1]}`))
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		for _, h := range allHosts() {
			if h.ID != id {
				continue
			}
			for j := range h.files {
				l := &h.files[j]
				w := world{OS: "linux", Home: "/h", Project: "/h/p", Cwd: "/h/p", Commands: []byte("[]")}
				file := &file{machine: w.machine(t, map[string][]byte{"/h/x": data}), host: h, location: l, path: "/h/x", dialect: l.dialect}
				file.load()
				for _, p := range file.problems {
					if p.Line > bytes.Count(data, []byte("\n"))+2 {
						t.Errorf("%s at line %d of %d bytes", p.ID, p.Line, len(data))
					}
				}
			}
		}
	})
}

// severityOf is a severity of an expectation, which may be written in short.
func severityOf(text string) string {
	if text == "warn" {
		return string(Warning)
	}
	return text
}
