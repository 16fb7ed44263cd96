package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// pages are the documents for users, with their text.
func pages(t *testing.T) map[string]string {
	t.Helper()
	files := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../SECURITY.md"}
	err := filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
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
	link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	// invocation is the program with its arguments, up to a pipe, a redirection or a
	// comment.
	invocation = regexp.MustCompile("(?m)(?:^|[`;&|(]|: )\\s*mcptea ([^`|#\n>]*)")
	longFlag   = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
)

func TestDocs_LinksLeadToFiles(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
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
	root := (&program{}).root()
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
			return c
		}
	}
	if strings.HasPrefix(first, "-") || strings.Contains(first, "://") || asURL(first) != "" || strings.ToUpper(first) == first || first == "help" {
		return root
	}
	return nil
}

func hasFlag(cmd *cobra.Command, name string) bool {
	return name == "help" || cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
}
