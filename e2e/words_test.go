package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// jargon are words and phrases for which MCP, JSON-RPC, HTTP or Go have a term, or
// which name a person where a party of the protocol is meant: server, client,
// peer, user, caller.
var jargon = regexp.MustCompile(`(?i)\b(nobody|somebody|anybody|whoever|is none|torrent|patience|manners|the person|h[au]ngs? up|hanging up|goodbye|anew|comes of it|told of|stands in|wants to)\b`)

func TestWords_NoJargon(t *testing.T) {
	top := root(t)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place, _ := filepath.Rel(top, path)
		place = filepath.ToSlash(place)
		if d.IsDir() {
			if d.Name() == "testdata" || d.Name() == "node_modules" || place != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".jsonl"}, filepath.Ext(path)) || place == "e2e/words_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			if word := jargon.FindString(line); word != "" {
				t.Errorf("%s:%d: %q: use the term of the specification, and name the party", place, n+1, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
