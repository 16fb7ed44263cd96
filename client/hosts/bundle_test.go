package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// readManifest reads the manifest of a bundle with files.
func readManifest(t *testing.T, manifest string, files ...string) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, BundleManifest)
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := LocalMachine(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.OS, m.Home = "linux", "/home/ann"
	c := ReadFile(m, path)
	c.CheckBundles()
	if len(c.Servers) != 1 {
		t.Fatalf("%d servers, %v", len(c.Servers), c.Problems)
	}
	return c.Servers[0], dir
}

const manifestOf = `{"manifest_version":"0.3","name":"x","server":{"type":"node","entry_point":"index.js","mcp_config":%s},"user_config":{
	"key":{"type":"string","title":"Key","description":"Your key","sensitive":true,"required":true},
	"level":{"type":"number","title":"Level","default":5,"min":1,"max":9},
	"dry":{"type":"boolean","title":"Dry"},
	"dirs":{"type":"directory","title":"Directories","multiple":true,"default":["${HOME}/a","${DOWNLOADS}"]}}}`

func TestBundle_Launch(t *testing.T) {
	s, dir := readManifest(t, fmt.Sprintf(manifestOf, `{"command":"node","args":["${__dirname}/index.js","${user_config.dirs}","--l=${user_config.level}","${/}${pathSeparator}"],
		"env":{"DIRS":"${HOME} ${DESKTOP} ${DOCUMENTS} ${DOWNLOADS}","KEY":"${user_config.key}","DRY":"${user_config.dry}","SHELL":"$HOME %PATH%"}}`), "index.js")
	if why := s.WhyUnknown(); why != "" {
		t.Fatal(why)
	}
	s.Fill(map[string][]string{"key": {"${HOME}"}, "level": {"7"}, "dirs": {"/x", "${__dirname}", ""}, "dry": {"${user_config.dry}"}})
	if want := []string{"node", dir + "/index.js", "/x", "${__dirname}", "", "--l=7", "//"}; !reflect.DeepEqual(s.Expanded.Argv(), want) {
		t.Errorf("%q, want %q", s.Expanded.Argv(), want)
	}
	want := []Field{{Name: "DIRS", Value: "/home/ann /home/ann/Desktop /home/ann/Documents /home/ann/Downloads"}, {Name: "KEY", Value: "${HOME}"}, {Name: "DRY", Value: "${user_config.dry}"}, {Name: "SHELL", Value: "$HOME %PATH%"}}
	if !reflect.DeepEqual(s.Expanded.Env, want) {
		t.Errorf("%v, want %v", s.Expanded.Env, want)
	}
}

func TestBundle_NoValues(t *testing.T) {
	s, _ := readManifest(t, fmt.Sprintf(manifestOf, `{"command":"node","args":["a","${user_config.dirs}","b"]}`), "index.js")
	s.Fill(map[string][]string{"dirs": {}})
	if got := s.Expanded.Args; !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
}

// platform_overrides replace each member as a whole.
func TestBundle_PlatformOverrides(t *testing.T) {
	s, _ := readManifest(t, fmt.Sprintf(manifestOf, `{"command":"node","args":["index.js"],"env":{"A":"1"},"platform_overrides":{"linux":{"args":["other.js"],"env":{"B":"2"}},"win32":{"command":"x.exe"}}}`), "index.js")
	if l := s.Written; l.Command != "node" || !reflect.DeepEqual(l.Args, []string{"other.js"}) || !reflect.DeepEqual(l.Env, []Field{{Name: "B", Value: "2"}}) {
		t.Errorf("%+v", l)
	}
}

// A manifest without mcp_config is started by the type of its server.
func TestBundle_WithoutConfig(t *testing.T) {
	for kind, want := range map[string]string{
		"uv": "uv run --directory ${__dirname} ${__dirname}/main.py", "python": "python3 ${__dirname}/main.py", "node": "node ${__dirname}/main.py", "binary": "${__dirname}/main.py",
	} {
		s, _ := readManifest(t, fmt.Sprintf(`{"manifest_version":"0.4","name":"x","server":{"type":%q,"entry_point":"main.py"}}`, kind), "main.py")
		if got := strings.Join(s.Written.Argv(), " "); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// A reference that no host replaces never reaches a server: the entry cannot be used, and both servers and info say so.
func TestBundle_UnknownReferences(t *testing.T) {
	for config, want := range map[string]string{
		`{"command":"node","args":["${FOO}"]}`:                                "refers to ${FOO}, which a bundle cannot use",
		`{"command":"${env:NODE}"}`:                                           "refers to ${env:NODE}, which a bundle cannot use",
		`{"command":"node","args":["${input:key}"]}`:                          "refers to ${input:key}, which a bundle cannot use",
		`{"command":"node","args":["${user_config.other}"]}`:                  "refers to ${user_config.other}, which a bundle cannot use",
		`{"command":"node","args":["${workspaceFolder} ${HOME:-x}"]}`:         "refers to ${workspaceFolder}, ${HOME:-x}, which a bundle cannot use",
		`{"command":"node","args":["--dirs=${user_config.dirs}"]}`:            "refers to ${user_config.dirs} (a list, within a text), which a bundle cannot use",
		`{"command":"node","env":{"DIRS":"${user_config.dirs}"}}`:             "refers to ${user_config.dirs} (a list, within a text), which a bundle cannot use",
		`{"command":"node","args":["${__dirname}/gone.js","${__dirname}/x"]}`: "refers to files that the bundle does not have: gone.js, x",
	} {
		s, _ := readManifest(t, fmt.Sprintf(manifestOf, config), "index.js")
		if got := s.WhyUnknown(); got != want {
			t.Errorf("%s: %q", config, got)
		}
		if Worst(s.Problems) != Error {
			t.Errorf("%s: the list of servers does not report it: %v", config, s.Problems)
		}
	}
}

func TestBundle_Values(t *testing.T) {
	s, _ := readManifest(t, fmt.Sprintf(manifestOf, `{"command":"node","args":["${user_config.key}","${user_config.level}","${user_config.dry}","${user_config.dirs}"]}`), "index.js")
	inputs := map[string]Input{}
	for _, in := range s.Inputs() {
		inputs[in.ID] = in
	}
	key, level, dry, dirs := inputs["key"], inputs["level"], inputs["dry"], inputs["dirs"]
	if !key.IsPrivate() || key.Bundle.IsOptional || key.Description != "Key: Your key" {
		t.Errorf("%+v", key)
	}
	if level.Default != "5" || !level.Bundle.IsOptional || len(dry.Choices) != 2 || !reflect.DeepEqual(dirs.Bundle.Defaults, []string{"/home/ann/a", "/home/ann/Downloads"}) {
		t.Errorf("%+v %+v %+v", level, dry, dirs)
	}
	for text, want := range map[string]string{"7": "", "1": "", "9": "", "0": "less than 1, the minimum", "9.5": "more than 9, the maximum", "x": "not a number", "": "not a number"} {
		if _, err := level.Values(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("level %q: %v", text, err)
		}
	}
	for text, want := range map[string][]string{"/a": {"/a"}, `["/a","/b"]`: {"/a", "/b"}, "[]": {}, "[1]": nil, "[/a]": nil} {
		if got, err := dirs.Values(text); (err != nil) != (want == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("dirs %q: %q %v", text, got, err)
		}
	}
	if got, err := key.Values(`["a"]`); err != nil || !reflect.DeepEqual(got, []string{`["a"]`}) {
		t.Errorf("a text that looks like a list: %q %v", got, err)
	}
}
