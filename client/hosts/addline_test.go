package hosts

import (
	"slices"
	"strings"
	"testing"
)

// The command lines of pages about servers, and what they add.
func TestAddLine(t *testing.T) {
	w := world{OS: "linux", Home: "/h", Project: "/h/p", Cwd: "/h/p", Commands: []byte("[]")}
	m := w.machine(t, nil)
	for _, c := range []struct {
		line, name, launch string
	}{
		{"claude mcp add notes -- npx -y notes --root /n", "notes", "npx -y notes --root /n"},
		{"claude mcp add notes npx notes", "notes", "npx notes"},
		{"claude mcp add notes npx notes -v", "notes", "npx notes -v"},
		{"claude mcp add --transport stdio --env KEY=a B=c notes -- npx notes", "notes", "npx notes B=c KEY=a"},
		{"claude mcp add notes -e KEY=a=b --scope user -- npx notes", "notes", "npx notes KEY=a=b"},
		{"claude mcp add -t http search https://x.test/mcp?q=1 --header|X-A: b c", "search", "https://x.test/mcp?q=1 X-A=b c"},
		{"claude mcp add --transport=sse search https://x.test/sse -H|A: 1|B: 2", "search", "https://x.test/sse A=1 B=2"},
		{"claude mcp add search https://x.test/mcp", "search", "https://x.test/mcp"},
		{"claude mcp add -t stdio search https://x.test/mcp", "search", "https://x.test/mcp"},
		{`claude mcp add-json notes|{"type":"stdio","command":"npx","args":["notes"]}|-s user`, "notes", "npx notes"},
		{"codex mcp add notes --env KEY=a -- npx -y notes", "notes", "npx -y notes KEY=a"},
		{"codex mcp add search --url https://x.test/mcp", "search", "https://x.test/mcp"},
		{`code --add-mcp|{"name":"notes","command":"npx","args":["notes"],"env":{"K":"v"}}`, "notes", "npx notes K=v"},
		{`code-insiders --add-mcp|{"url":"https://x.test/mcp"}`, "server", "https://x.test/mcp"},
	} {
		file, ok, err := AddLine(wordsOf(c.line))
		if err != nil || !ok {
			t.Errorf("%s: %t, %v", c.line, ok, err)
			continue
		}
		if strings.Contains(file, "{}") || strings.Contains(file, "null") {
			t.Errorf("%s: what has no value is in the entry: %s", c.line, file)
		}
		got := ReadPasted(m, file)
		if len(got.Servers) != 1 {
			t.Errorf("%s: %d servers, %v", c.line, len(got.Servers), got.Problems)
			continue
		}
		s := got.Servers[0]
		launch := s.Written.Argv()
		if s.Transport != Stdio {
			launch = []string{s.Written.URL}
		}
		for _, f := range slices.Concat(s.Written.Env, s.Written.Headers) {
			launch = append(launch, f.Name+"="+f.Value)
		}
		if text := strings.Join(launch, " "); s.Name != c.name || text != c.launch {
			t.Errorf("%s: %s starts %q, want %s and %q", c.line, s.Name, text, c.name, c.launch)
		}
	}
}

func TestAddLine_Errors(t *testing.T) {
	for line, want := range map[string]string{
		"claude mcp add":                         "claude mcp add: the name of the server is missing",
		"claude mcp add notes":                   "neither a URL nor a command follows the name",
		"claude mcp add --trnsport http a b":     "unknown flag --trnsport",
		"claude mcp add notes -e":                "-e has no value",
		"claude mcp add notes -e x -- y":         "-e: the value is neither NAME=VALUE nor a header",
		"claude mcp add -t http notes npx x":     "the transport http requires a URL",
		"codex mcp add a --url https://x.test b": `"b" follows the URL`,
		"claude mcp add-json a {":                "claude mcp add-json: ",
		"claude mcp add-json a":                  "expected a name and an entry as JSON",
		"code --add-mcp []":                      "the entry is not a JSON object",
		"code --add-mcp":                         "expected an entry as JSON",
	} {
		if _, ok, err := AddLine(wordsOf(line)); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %t, %v, want %q", line, ok, err, want)
		}
	}
	for _, line := range []string{"claude", "claude mcp", "claude mcp serve", "code .", "npx claude mcp add x", "codex mcp-server", ""} {
		if _, ok, err := AddLine(wordsOf(line)); ok || err != nil {
			t.Errorf("%s: %t, %v", line, ok, err)
		}
	}
}

// wordsOf are the words of a line; | separates words with blanks in them.
func wordsOf(line string) (words []string) {
	first, others, piped := strings.Cut(line, "|")
	words = strings.Fields(first)
	if piped {
		for w := range strings.SplitSeq(others, "|") {
			if w == "-s user" {
				words = append(words, "-s", "user")
				continue
			}
			words = append(words, w)
		}
	}
	return words
}

func FuzzAddLine(f *testing.F) {
	f.Add("claude mcp add -e A=b|x|--|y")
	f.Fuzz(func(t *testing.T, line string) {
		file, ok, err := AddLine(wordsOf(line))
		if (file != "") != (ok && err == nil) {
			t.Errorf("%q: %q, %t, %v", line, file, ok, err)
		}
	})
}
