package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quotedCode = regexp.MustCompile("`([^`\n]+)`")
	placeName  = regexp.MustCompile(`^[a-z][\w.-]*(/[\w.-]+)+$`)
	goName     = regexp.MustCompile(`^[A-Za-z]+\.[A-Za-z]+$|^Test\w+$`)
	fileName   = regexp.MustCompile(`\.(go|md|jsonl|txt)$`)
)

// docs/architecture.md leads through files and functions: each one that it names exists.
func TestMap_NamesExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	code := allCode(t)
	places, names := 0, 0
	for _, m := range quotedCode.FindAllSubmatch(text, -1) {
		switch named := string(m[1]); {
		case placeName.MatchString(named):
			places++
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(named))); err != nil {
				t.Errorf("docs/architecture.md names %s: %v", named, err)
			}
		case goName.MatchString(named) && !fileName.MatchString(named):
			names++
			if !declares(code, named) {
				t.Errorf("docs/architecture.md names %s, which no file declares", named)
			}
		}
	}
	if places < 50 || names < 50 {
		t.Errorf("only %d paths and %d names were found", places, names)
	}
}

// declares reports whether the code has a test, a function of a package, a method or the id of a command
// that is called so.
func declares(code []byte, name string) bool {
	of, last, found := strings.Cut(name, ".")
	if !found {
		return bytes.Contains(code, []byte("\nfunc "+name+"("))
	}
	method := regexp.MustCompile(`\nfunc \(\w+ \*?` + of + `(\[[^\]]*\])?\) ` + last + `\(`)
	return method.Match(code) || bytes.Contains(code, []byte("\npackage "+of+"\n")) && bytes.Contains(code, []byte("\nfunc "+last+"(")) ||
		bytes.Contains(code, []byte("\ntype "+of+" interface")) && bytes.Contains(code, []byte("\n\t"+last+"(")) ||
		bytes.Contains(code, []byte("\ntype "+of+" struct")) && bytes.Contains(code, []byte("\n\t"+last+" ")) ||
		bytes.Contains(code, []byte("\npackage "+of+"\n")) && bytes.Contains(code, []byte("\ntype "+last)) ||
		bytes.Contains(code, []byte(`"`+name+`"`))
}

// allCode is the text of all Go files of the module.
func allCode(t *testing.T) []byte {
	t.Helper()
	var code []byte
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != root(t) && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		code = append(append(code, '\n'), text...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}
