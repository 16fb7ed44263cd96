package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"mcptea/cli/servers"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
)

// pages are the documents for users, with their text.
func pages(t *testing.T) map[string]string {
	t.Helper()
	files := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../SECURITY.md"}
	err := filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			files = append(files, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}

var (
	linkPattern = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	code        = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	// invocation is the program with its arguments, up to a pipe, a redirection or a
	// comment.
	invocation = regexp.MustCompile("(?m)(?:^|[`;&|(]|: )\\s*mcptea ([^`|#\n>]*)")
	longFlag   = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
)

func TestDocs_LinksLeadToFiles(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func TestDocs_CommandsAndFlagsExist(t *testing.T) {
	root := newProgram(os.Stdin, os.Stdout, os.Stderr, nil).root("")
	seen := 0
	for page, text := range pages(t) {
		for _, m := range invocation.FindAllStringSubmatch(strings.Join(code.FindAllString(text, -1), "\n"), -1) {
			own, _, _ := strings.Cut(m[1], "-- ") // what follows is the server's
			words := strings.Fields(own)
			if len(words) == 0 {
				continue
			}
			cmd := commandOf(root, words)
			if cmd == nil {
				t.Errorf("%s: no command %q in mcptea %s", page, words[0], m[1])
				continue
			}
			seen++
			for _, f := range longFlag.FindAllStringSubmatch(own, -1) {
				if !hasFlag(cmd, f[1]) {
					t.Errorf("%s: mcptea %s has no --%s", page, cmd.Name(), f[1])
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d invocations were found", seen)
	}
}

// commandOf returns the command that words begin with: the root for a target, a flag
// or a placeholder; nil for any other word.
func commandOf(root *cobra.Command, words []string) *cobra.Command {
	first := words[0]
	for _, c := range root.Commands() {
		if c.Name() == first || c.HasAlias(first) {
			if len(words) > 1 {
				if sub := commandOf(c, words[1:]); sub != nil && sub.Parent() == c {
					return sub
				}
			}
			return c
		}
	}
	if strings.HasPrefix(first, "-") || strings.Contains(first, "://") || target.AsURL(first) != "" || strings.ToUpper(first) == first || first == "help" {
		return root
	}
	return nil
}

func hasFlag(cmd *cobra.Command, name string) bool {
	return name == "help" || cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
}

// A job that filters the entries by their state misses none of a state that it does not know.
func TestDocs_ServerStates(t *testing.T) {
	const file = "/mcp.json"
	bad := []hosts.Problem{{Severity: hosts.Error}}
	of := func(change func(*hosts.Server)) *hosts.Server {
		s := &hosts.Server{Host: "cursor", Loaded: true, Effective: true, Source: hosts.Source{File: file}}
		change(s)
		return s
	}
	rejected := &hosts.Configuration{Problems: []hosts.Problem{{Host: "cursor", File: file, Severity: hosts.Error}}}
	page := pages(t)["../docs/hosts.md"]
	for want, tc := range map[string]struct {
		c *hosts.Configuration
		s *hosts.Server
	}{
		"ok":       {&hosts.Configuration{}, of(func(*hosts.Server) {})},
		"warning":  {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Problems = []hosts.Problem{{Severity: hosts.Warning}} })},
		"error":    {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Problems = bad })},
		"disabled": {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Disabled = true })},
		"override": {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Fragment = true })},
		"replaced": {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Effective = false })},
		"unread":   {&hosts.Configuration{}, of(func(s *hosts.Server) { s.Loaded = false })},
	} {
		if got := servers.ServerState(tc.c, tc.s); got != want {
			t.Errorf("the state is %q, want %q", got, want)
		}
		if !regexp.MustCompile("(?m)^\\|.*`" + want + "`.*\\|").MatchString(page) {
			t.Errorf("docs/hosts.md does not list the state %q", want)
		}
	}
	if got := servers.ServerState(rejected, of(func(s *hosts.Server) { s.Loaded = false })); got != "error" {
		t.Errorf("the state of an entry whose file the host rejects is %q", got)
	}
}

// The hook runs what the inspector writes for it.
func TestDocs_PreCommitPattern(t *testing.T) {
	text, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^  files: (.*)$`).FindSubmatch(text)
	if pattern == nil {
		t.Fatal("the hook has no pattern")
	}
	files := regexp.MustCompile(string(pattern[1]))
	for path, want := range map[string]bool{
		"mcptea.txtar": true, "tests/mcptea.txtar": true, "tests/labels.mcptea.txtar": true,
		"labels.txtar": false, "notmcptea.txtar": false, "mcptea.txtar.orig": false,
	} {
		if files.MatchString(path) != want {
			t.Errorf("the hook runs for %s: %t", path, !want)
		}
	}
}

// The example of a pin is one that a server can fulfill: each tool result has content.
func TestDocs_PinsExample(t *testing.T) {
	example := regexp.MustCompile("(?s)```txtar\n(.*?)```").FindStringSubmatch(pages(t)["../docs/pins.md"])
	if example == nil {
		t.Fatal("there is no example")
	}
	archive := txtar.Parse([]byte(example[1]))
	if len(archive.Files) != 1 || !strings.Contains(string(archive.Comment), "--exact") {
		t.Fatalf("the example is %s", example[1])
	}
	result := jsonrpc.EncodeResult(jsonrpc.IDOf("1"), archive.Files[0].Data)
	if got := jsonrpc.TypeOf(memberOf(t, result, "result", "content")); got != "array" {
		t.Errorf("content is %s", got)
	}
}

func memberOf(t *testing.T, object []byte, name string, more ...string) []byte {
	t.Helper()
	value, ok := jsonrpc.Member(object, name, more...)
	if !ok {
		t.Fatalf("no member %s %v in %s", name, more, object)
	}
	return value
}

// What is generated is listed with the command that generates it.
func TestDocs_GeneratedPages(t *testing.T) {
	listed := pages(t)["../CONTRIBUTING.md"]
	for _, page := range []string{"docs/screens", "docs/keys.md", "docs/rules.md", "docs/probes.md", "docs/hosts.md", "docs/json.md"} {
		if !strings.Contains(listed, page) {
			t.Errorf("CONTRIBUTING.md does not list %s", page)
		}
	}
}
