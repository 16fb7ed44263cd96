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
var jargon = []string{
	"nobody", "somebody", "anybody", "whoever", "is none of", "torrent", "patience", "manners", "the person",
	"hang up", "hangs up", "hung up", "hanging up", "goodbye", "anew", "comes of it", "told of", "stands in", "wants to",
}

// whole matches jargon as whole words.
var whole = regexp.MustCompile(`(?i)\b(` + strings.Join(jargon, "|") + `)\b`)

// jargonIn returns the jargon in a text by line. A search for the words is faster than the
// expression, and finds none in most files.
func jargonIn(text string) map[int]string {
	small := strings.ToLower(text)
	if !slices.ContainsFunc(jargon, func(word string) bool { return strings.Contains(small, word) }) {
		return nil
	}
	found := map[int]string{}
	for n, line := range strings.Split(text, "\n") {
		if word := whole.FindString(line); word != "" {
			found[n+1] = word
		}
	}
	return found
}

func TestJargon_WholeWordsInAnyCase(t *testing.T) {
	for _, word := range jargon {
		if got := jargonIn("a\nit " + strings.ToUpper(word) + ", b"); len(got) != 1 || got[2] == "" {
			t.Errorf("%q: %v", word, got)
		}
	}
	if got := jargonIn("renewal of patiences"); len(got) != 0 {
		t.Errorf("parts of words: %v", got)
	}
}

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
		for line, word := range jargonIn(string(text)) {
			t.Errorf("%s:%d: %q: use the term of the specification, and name the party", place, line, word)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
