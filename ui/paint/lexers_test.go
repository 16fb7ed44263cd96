package paint

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	_ "github.com/charmbracelet/x/exp/golden" // the flag -update
)

// fromChroma are the definitions that Chroma has as files. The others are of this
// package.
var fromChroma = []string{
	"bash", "c", "c#", "c++", "css", "diff", "docker", "graphql", "html", "ini", "java", "javascript", "json", "kotlin",
	"lua", "makefile", "powershell", "protocol_buffer", "python", "ruby", "rust", "sql", "swift", "terraform", "toml",
	"typescript", "xml", "yaml",
}

func TestLexers_DefinitionsAreThoseOfChroma(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "lexers", "embedded")
	for _, name := range fromChroma {
		want, err := os.ReadFile(filepath.Join(dir, name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		own := filepath.Join("lexers", name+".xml")
		if flag.Lookup("update").Value.String() == "true" { // of golden
			if err := os.WriteFile(own, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(own); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s.xml differs from Chroma's, %v: run go test ./ui/paint -run Lexers -update", name, err)
		}
	}
}

func TestLexers_Find(t *testing.T) {
	for kind, want := range map[string]string{
		"application/json": "JSON", "application/ld+json": "JSON", "text/html": "HTML", "image/svg+xml": "XML",
		"text/x-go": "Go", "main.go": "Go", "golang": "Go", "py": "Python", "text/markdown": "Markdown",
		"sh": "Bash", "ts": "TypeScript", "yml": "YAML", "text/plain": "", "": "", "nothing": "",
	} {
		got := ""
		if l := findLexer(kind); l != nil {
			got = l.Config().Name
		}
		if got != want {
			t.Errorf("Find(%q) is %q, not %q", kind, got, want)
		}
	}
}

// languages are the names of the languages of all definitions.
func languages(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("lexers/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "<name>")
		name, _, ok := strings.Cut(rest, "</name>")
		if !ok {
			t.Fatalf("%s has no name", file)
		}
		names = append(names, name)
	}
	return names
}

// Every definition must compile and keep the text, whatever its language.
func TestLexersKeepTheText(t *testing.T) {
	text := "# a\n<style>b{color:#fff}</style><script>let x = \"y\"</script>\n```json\n{\"a\": 1}\n```\n" +
		"func main() { return `1` + '\\x' } // c\n* **b** _i_ `c` [l](u) \\* <!-- x -->\n"
	all := languages(t)
	if n := len(all); n != len(fromChroma)+2 {
		t.Errorf("%d lexers", n)
	}
	for _, name := range all {
		l := findLexer(name)
		if l == nil || l.Config().Name != name {
			t.Errorf("%s is not found by its name", name)
			continue
		}
		it, err := l.Tokenise(nil, text)
		if err != nil {
			t.Errorf("%s: %v", l.Config().Name, err)
			continue
		}
		if got := chroma.Stringify(it.Tokens()...); got != text {
			t.Errorf("%s changed the text: %q", l.Config().Name, got)
		}
	}
}

func TestLexers_OwnDefinitions(t *testing.T) {
	for _, c := range []struct {
		kind, text, token string
		want              chroma.TokenType
	}{
		{"go", "func main() {}", "func", chroma.KeywordDeclaration},
		{"go", "func main() {}", "main", chroma.NameFunction},
		{"go", `x := "a\"b" // c`, `"a\"b"`, chroma.LiteralString},
		{"go", `x := "a\"b" // c`, `// c`, chroma.CommentSingle},
		{"go", "goto x", "goto", chroma.Keyword},
		{"md", "# Head\ntext", "# Head", chroma.GenericHeading},
		{"md", "a **b** c", "**b**", chroma.GenericStrong},
		{"md", "```go\n# no heading\n```\n", "# no heading", chroma.Text},
	} {
		it, err := findLexer(c.kind).Tokenise(nil, c.text)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, tok := range it.Tokens() {
			found = found || tok.Value == c.token && tok.Type == c.want
		}
		if !found {
			t.Errorf("%s: %q is not %v in %q", c.kind, c.token, c.want, c.text)
		}
	}
}
