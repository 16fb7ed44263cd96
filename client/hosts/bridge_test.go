package hosts

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever a wrapped entry runs, it reaches the same server, and unwrapping restores every byte, also
// after another change of the file.
func TestWrap_BridgeAndWatch(t *testing.T) {
	bridges, watches := 0, 0
	for _, c := range wrapCases(t) {
		for _, want := range c.wrap {
			o := WrapOptions{Mcptea: c.w.Mcptea, Watch: "auto"}
			before := c.named(t, c.data, want.Server)
			if before == nil {
				continue
			}
			edit, err := before.Wrap(o)
			var refused *RefusedError
			if errors.As(err, &refused) {
				if want.Refuse == "" && before.Transport == Stdio {
					t.Errorf("%s %s: %v", c.file, want.Server, err)
				}
				continue
			}
			t.Run(path.Join(filepath.Base(c.dir), c.file, want.Server), func(t *testing.T) {
				after := c.named(t, edit.After, want.Server)
				if after == nil || !after.Wrapped || after.Transport != before.Transport {
					t.Fatalf("got\n%s", edit.Diff())
				}
				if !after.sameLaunch(before, before.Written.Env) || after.Written.URL != before.Written.URL {
					t.Errorf("the launch is %+v, was %+v:\n%s", after.Written, before.Written, edit.Diff())
				}
				if before.Transport == Stdio {
					watches++
				} else {
					bridges++
				}
				for _, change := range []string{"", "\n"} {
					j := Journal{t.TempDir()}
					file := filepath.Join(t.TempDir(), filepath.Base(c.file))
					if err := os.WriteFile(file, c.data, 0o600); err != nil {
						t.Fatal(err)
					}
					edit, err := before.Wrap(o)
					if err != nil {
						t.Fatal(err)
					}
					edit.File, edit.record.File = file, file
					if err := j.Apply(edit); err != nil {
						t.Fatal(err)
					}
					appendTo(t, file, change)
					if got := c.unwrapped(t, j, file, want.Server); got != string(c.data)+change {
						t.Errorf("after the change %q: got\n%s\nwant\n%s", change, got, c.data)
					}
				}
			})
		}
	}
	if bridges == 0 || watches == 0 {
		t.Errorf("%d entries with a URL, %d with a command", bridges, watches)
	}
}

func TestWrap_Bridge(t *testing.T) {
	w := world{OS: "linux", Home: "/home/ann", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	for _, c := range []struct {
		host, file, text, want, refused string
	}{
		{"cursor", "/home/ann/.cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://example.com/mcp"}}}`, `{"mcpServers":{"a":{"command": "/bin/mcptea", "args": ["tap", "--as", "cursor/a", "https://example.com/mcp"]}}}`, ""},
		{"cursor", "/home/ann/.cursor/mcp.json", "{\"mcpServers\": {\n  \"a\": {\n    \"url\": \"https://example.com/mcp\",\n    \"headers\": {\"Authorization\": \"Bearer ${env:T}\", \"X-Team\": \"blue\"}\n  }\n}}", "{\"mcpServers\": {\n  \"a\": {\n    \"command\": \"/bin/mcptea\",\n    \"args\": [\"tap\", \"--as\", \"cursor/a\", \"--header\", \"X-Team: blue\", \"https://example.com/mcp\"],\n    \"env\": {\"MCPTEA_TOKEN\": \"${env:T}\"}\n  }\n}}", ""},
		{"cursor", "/home/ann/.cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://example.com/mcp","headers":{"X-Api-Key":"abcdef0123456789"}}}}`, "", "X-Api-Key would be visible"},
		{"cursor", "/home/ann/.cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://example.com/mcp","headers":{"Authorization":"Bearer ${env:T}","X-Api-Key":"abcdef0123456789"}}}}`, "", "X-Api-Key would be visible in the arguments of a process; with --listen PORT the host sends them"},
		{"cursor", "/home/ann/.cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://example.com/mcp","headers":{"X-Api-Key":"${env:A}","X-Api-Secret":"${env:B}"}}}}`, "", "X-Api-Key would be visible"},
		{"claude-code", "/home/ann/.claude.json", `{"mcpServers":{"a":{"type":"sse","url":"https://example.com/sse"}}}`, `{"mcpServers":{"a":{"type":"stdio","command": "/bin/mcptea", "args": ["tap", "--as", "claude-code/a", "--transport", "sse", "https://example.com/sse"]}}}`, ""},
		{"opencode", "/home/ann/.config/opencode/opencode.json", `{"mcp":{"a":{"type":"remote","url":"https://example.com/mcp"}}}`, `{"mcp":{"a":{"type":"local","command": ["/bin/mcptea", "tap", "--as", "opencode/a", "https://example.com/mcp"]}}}`, ""},
		{"codex", "/home/ann/.codex/config.toml", "[mcp_servers.a]\nurl = \"https://example.com/mcp\"\n", "[mcp_servers.a]\ncommand = \"/bin/mcptea\"\nargs = [\"tap\", \"--as\", \"codex/a\", \"https://example.com/mcp\"]\n", ""},
		{"codex", "/home/ann/.codex/config.toml", "[mcp_servers.a]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"T\"\n", "", "another place"},
	} {
		find := func(data string) *Server {
			found, err := Discover(t.Context(), w.machine(t, map[string][]byte{c.file: []byte(data)}), c.host)
			if err != nil {
				t.Fatal(err)
			}
			return found.Servers[slices.IndexFunc(found.Servers, func(s *Server) bool { return s.Name == "a" })]
		}
		before := find(c.text)
		edit, err := before.Wrap(WrapOptions{Mcptea: "/bin/mcptea"})
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, want %q", c.text, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if string(edit.After) != c.want {
			t.Errorf("got\n%s\nwant\n%s", edit.After, c.want)
		}
		after := find(string(edit.After))
		if !after.Wrapped || after.Written.URL != before.Written.URL || after.Transport != before.Transport || !sameFields(after.Written.Headers, before.Written.Headers) {
			t.Errorf("%s: read as %+v", edit.After, after.Written)
		}
	}
}

func TestWrap_WatchPath(t *testing.T) {
	for watch, want := range map[string]string{"auto": `"--watch", "--"`, "src": `"--watch=src", "--"`} {
		s := configured(t, filepath.Join(t.TempDir(), "c.json"), `{"mcpServers":{"a":{"command":"node","args":["s.js"]}}}`)
		edit, err := s.Wrap(WrapOptions{Mcptea: "/bin/mcptea", Watch: watch})
		if err != nil || !strings.Contains(string(edit.After), `"args":["tap", "--as", "claude-desktop/a", `+want+`, "node", "s.js"]`) {
			t.Errorf("%s: %v", watch, err)
		}
	}
}

// An entry that has changed since says what to do; another change of the file does not keep it from being restored.
func TestUnwrap_BridgeOfTOML(t *testing.T) {
	const text = "[mcp_servers.a]\nurl = 'https://example.com/mcp' # mine\nenabled = true\n"
	w := world{OS: "linux", Home: "/home/ann", Project: "/p", Cwd: "/p", Commands: []byte("[]"), Paths: []string{"/bin/mcptea"}}
	find := func(data string) *Server {
		found, err := Discover(t.Context(), w.machine(t, map[string][]byte{"/home/ann/.codex/config.toml": []byte(data)}), "codex")
		if err != nil {
			t.Fatal(err)
		}
		return found.Servers[slices.IndexFunc(found.Servers, func(s *Server) bool { return s.Name == "a" })]
	}
	edit, err := find(text).Wrap(WrapOptions{Mcptea: "/bin/mcptea"})
	if err != nil {
		t.Fatal(err)
	}
	before, after := "model = \"x\"\n\n", "\n[mcp_servers.b]\nurl = \"https://example.com/b\"\n"
	restored, err := find(before + string(edit.After) + after).unwrap(edit.record)
	if err != nil || string(restored.After) != before+text+after {
		t.Errorf("%v; got\n%s", err, restored.After)
	}
	changed := strings.Replace(string(edit.After), `"codex/a"`, `"codex/other"`, 1)
	if _, err := find(changed).unwrap(edit.record); err == nil || !strings.Contains(err.Error(), "write its URL instead of the command") {
		t.Errorf("the entry has changed: %v", err)
	}
}
