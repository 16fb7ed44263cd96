package hosts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variables come into the entry in its own layout, and nothing else of the file changes.
func TestSetVariables_Layouts(t *testing.T) {
	added := []Field{{Name: "DATABASE_URL", Value: `postgres://h/"x"`}, {Name: "MODE", Value: "2"}}
	for before, want := range map[string]string{
		`{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`:                            `{"mcpServers": {"a": {"command": "x", "env": {"DATABASE_URL": "postgres://h/\"x\"", "MODE": "2"}}, "b": {"command": "y"}}}`,
		`{"mcpServers": {"a": {"command": "x", "env": {}}}}`:                                        `{"mcpServers": {"a": {"command": "x", "env": {"DATABASE_URL": "postgres://h/\"x\"", "MODE": "2"}}}}`,
		`{"mcpServers": {"a": {"command": "x", "env": {"MODE": "1", "Z": "z"}}}}`:                   `{"mcpServers": {"a": {"command": "x", "env": {"MODE": "2", "Z": "z", "DATABASE_URL": "postgres://h/\"x\""}}}}`,
		"{\"mcpServers\": {\"a\": {\n  \"command\": \"x\",\n  \"args\": [\"1\"]\n}}}\n":             "{\"mcpServers\": {\"a\": {\n  \"command\": \"x\",\n  \"args\": [\"1\"],\n  \"env\": {\"DATABASE_URL\": \"postgres://h/\\\"x\\\"\", \"MODE\": \"2\"}\n}}}\n",
		"{\"mcpServers\":{\"a\":{\"command\":\"x\",\r\n\"env\":{\r\n\t\"Z\":\"z\"\r\n}}}}":          "{\"mcpServers\":{\"a\":{\"command\":\"x\",\r\n\"env\":{\r\n\t\"Z\":\"z\",\r\n\t\"DATABASE_URL\": \"postgres://h/\\\"x\\\"\",\r\n\t\"MODE\": \"2\"\r\n}}}}",
		`{"mcpServers": {"a": {"env": {"MODE": "1"}, "command": "x"}, "b": {"env": {"MODE":"1"}}}}`: `{"mcpServers": {"a": {"env": {"MODE": "2", "DATABASE_URL": "postgres://h/\"x\""}, "command": "x"}, "b": {"env": {"MODE":"1"}}}}`,
	} {
		file := filepath.Join(t.TempDir(), "c.json")
		e, err := configured(t, file, before).SetVariables(added)
		if err != nil {
			t.Errorf("%s: %v", before, err)
			continue
		}
		if err := (Journal{t.TempDir()}).Apply(e); err != nil {
			t.Error(err)
		}
		got, _ := os.ReadFile(file)
		if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", before, got, want)
		}
		again, err := e.Edited().SetVariables([]Field{{Name: "MODE", Value: "3"}})
		if err != nil || string(again.Before) != string(got) || !strings.Contains(string(again.After), `"MODE": "3"`) {
			t.Errorf("%s: once more: %v", before, err)
		}
	}
}

// So they do in TOML, in each of the ways to write a table there.
func TestSetVariables_TOML(t *testing.T) {
	added := []Field{{Name: "DATABASE_URL", Value: `h/"x"`}, {Name: "A.B", Value: "2"}}
	const written = `DATABASE_URL = "h/\"x\""` + ", " + `"A.B" = "2"`
	for before, want := range map[string]string{
		"[mcp_servers.a]\ncommand = \"x\" # the server\n\n[other]\n":                   "[mcp_servers.a]\ncommand = \"x\" # the server\nenv = { " + written + " }\n\n[other]\n",
		"[mcp_servers]\na.command = \"x\"\n":                                           "[mcp_servers]\na.command = \"x\"\na.env = { " + written + " }\n",
		"[mcp_servers]\na = { command = \"x\" }\n":                                     "[mcp_servers]\na = { command = \"x\", env = { " + written + " } }\n",
		"[mcp_servers.a]\ncommand = \"x\"\nenv = {}\n":                                 "[mcp_servers.a]\ncommand = \"x\"\nenv = { " + written + " }\n",
		"[mcp_servers.a]\ncommand = \"x\"\nenv = { Z = 'z' }\n":                        "[mcp_servers.a]\ncommand = \"x\"\nenv = { Z = 'z', " + written + " }\n",
		"[mcp_servers.a]\r\ncommand = 'x'\r\n[mcp_servers.a.env]\r\n\"A.B\" = '1'\r\n": "[mcp_servers.a]\r\ncommand = 'x'\r\n[mcp_servers.a.env]\r\n\"A.B\" = '2'\r\n" + strings.TrimSuffix(written, `, "A.B" = "2"`) + "\r\n",
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		s := configured(t, file, before)
		e, err := s.SetVariables(added)
		if err != nil {
			t.Errorf("%s: %v", before, err)
			continue
		}
		if string(e.After) != want {
			t.Errorf("%s\n got %s\nwant %s", before, e.After, want)
		}
	}
	s := configured(t, filepath.Join(t.TempDir(), "config.toml"), "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\n")
	if e, err := s.SetVariables(added); e != nil || err == nil {
		t.Errorf("an empty table: %v", err)
	}
}

// A secret is written and not shown; what the host would read in another way is not written.
func TestSetVariables_SecretsAndRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.json")
	s := configured(t, file, `{"mcpServers": {"a": {"command": "x"}, "r": {"url": "http://h/mcp"}}}`)
	e, err := s.SetVariables([]Field{{Name: "API_KEY", Value: `hush"5`}})
	if err != nil || !strings.Contains(string(e.After), `"API_KEY": "hush\"5"`) {
		t.Fatalf("%v", err)
	}
	if diff := e.Diff(); strings.Contains(diff, "hush") || !strings.Contains(diff, `"API_KEY": "••••"`) {
		t.Error(diff)
	}
	for reason, refused := range map[string]func() (*Edit, error){
		"variable": func() (*Edit, error) { return s.SetVariables([]Field{{Name: "A", Value: "${HOME}/x"}}) },
		"url":      func() (*Edit, error) { return inFile(t, file, "r").SetVariables([]Field{{Name: "A", Value: "1"}}) },
		"layout": func() (*Edit, error) {
			return configured(t, filepath.Join(t.TempDir(), "c.json"), `{"mcpServers": {"a": {"command": "x", "env": {"A": {}}}}}`).SetVariables([]Field{{Name: "A", Value: "1"}})
		},
		"list": func() (*Edit, error) {
			return configured(t, filepath.Join(t.TempDir(), "c.json"), `{"mcpServers": {"a": {"command": "x", "env": ["B=2"]}}}`).SetVariables([]Field{{Name: "A", Value: "1"}})
		},
	} {
		e, err := refused()
		if r := (*RefusedError)(nil); e != nil || !errors.As(err, &r) || r.Verb != "change" {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// A value is private unless its name, or that it is the path of what exists, says that it is not.
func TestIsPrivate(t *testing.T) {
	exists := func(path string) bool { return path == "/opt/data" || path == `C:\data` }
	for _, name := range []string{
		"HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "PWD", "PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "LANG", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMROOT",
		"Path", "ProgramFiles",
	} {
		if isPrivate(name, "alice", exists) {
			t.Errorf("%s is private", name)
		}
	}
	for value, want := range map[string]bool{"/opt/data": false, `C:\data`: false, "/opt/none": true, `D:\data`: true, "opt/data": true, "x": false, "": false, "8080": false, "abcdef": true} {
		if got := isPrivate("DATA", value, exists); got != want {
			t.Errorf("%q is private: %t", value, got)
		}
	}
	if !isPrivate("DATA_TOKEN", "8080", exists) {
		t.Error("a short value with the name of a secret is not private")
	}
}
