package e2e

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A secondWord is a word for something that has another one in what users read: help, messages, documentation and
// the members and values of JSON.
type secondWord struct {
	pattern *regexp.Regexp
	write   string
	// may are texts that have it for a reason: they name what others call so.
	may []string
}

var secondWords = []secondWord{
	{
		regexp.MustCompile(`(?i)\brevisions?\b`), "protocol version",
		[]string{
			"vcs.revision",                              // a setting of the Go command
			"earlier-streamable-http-revisions",         // an anchor of the specification
			"unknown revision",                          // what the Go command says
			"supports only this revision",               // a sentence of the specification
			"`/**/revision`", "`revision`", "/revision", // a member of an example
		},
	},
	{
		regexp.MustCompile(`^warn$|--fail-on[ =]warn\b|"warn"`), "warning",
		[]string{`"warn"`}, // a log level that MCP does not define, in quotation marks
	},
}

// read reports whether a place still reads a word that it does not write.
var readsSecondWord = map[string][]string{
	"record/members.go":                   {"revision"}, // recordings of before
	"record/severity.go":                  {"warn"},
	"record/filter/bounds.go":             {"warn"},
	"cli/app/flagsets.go":                 {"warn"},
	"themes/file.go":                      {"warn"},
	"lint/rules/notifications/logging.go": {"warn"}, // a level that servers write
}

// secondWordIn returns the word to use instead of a second word in a text, or "".
func secondWordIn(place, text string) (found, write string) {
	for _, w := range secondWords {
		rest := text
		for _, may := range w.may {
			rest = strings.ReplaceAll(rest, may, "")
		}
		if found = w.pattern.FindString(rest); found != "" && !slices.Contains(readsSecondWord[place], text) {
			return found, w.write
		}
	}
	return "", ""
}

// textsOf calls see with each text of a Go file that is not an import path: literals, and the tags of
// members.
func textsOf(t *testing.T, path string, see func(line int, text string)) {
	t.Helper()
	file, set, err := parsedFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil {
				return true
			}
			if tags[n] {
				text = strings.NewReplacer(`json:"`, "", `"`, " ", "_", " ").Replace(text)
			}
			see(set.Position(n.Pos()).Line, text)
		}
		return true
	})
}

// What users read has one word for one thing.
func TestWords_OneForOneThing(t *testing.T) {
	top := root(t)
	report := func(place string, line int, text string) {
		if found, write := secondWordIn(place, text); found != "" {
			t.Errorf("%s:%d: %q: write %s", place, line, found, write)
		}
	}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place, _ := filepath.Rel(top, path)
		place = filepath.ToSlash(place)
		switch {
		case d.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "test", "e2e"}, d.Name()) || place != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
		case strings.HasSuffix(path, ".go"):
			textsOf(t, path, func(line int, text string) { report(place, line, text) })
		case filepath.Ext(path) == ".md" && place != "CHANGELOG.md" || place == "demo/faults.jsonl" || filepath.Base(path) == "rules.jsonl" || filepath.Base(path) == "failures.jsonl" || filepath.Base(path) == "probes.jsonl":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				report(place, i+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWords_SecondWords(t *testing.T) {
	for text, want := range map[string]string{
		"the revision of the protocol": "revision", "Revisions": "Revisions", "the revisionist": "", "warn": "warn", "warning": "", "the server may warn": "", "--fail-on warn": "--fail-on warn",
		"vcs.revision": "", "protocol_version": "", "error or warn": "",
	} {
		if got, _ := secondWordIn("x.go", text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
