package lexers

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
)

var update = flag.Bool("update", false, "copy the definitions of the version of Chroma in go.mod")

// fromChroma are the definitions that Chroma has as files. The others are of this
// package.
var fromChroma = []string{
	"bash", "c", "c#", "c++", "css", "diff", "docker", "graphql", "html", "ini", "java", "javascript", "json", "kotlin",
	"lua", "makefile", "powershell", "protocol_buffer", "python", "ruby", "rust", "sql", "swift", "terraform", "toml",
	"typescript", "xml", "yaml",
}

func TestDefinitionsAreThoseOfChroma(t *testing.T) {
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
		if *update {
			if err := os.WriteFile(name+".xml", want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(name + ".xml"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s.xml differs from Chroma's, %v: run go test ./ui/paint/lexers -update", name, err)
		}
	}
}

func TestFind(t *testing.T) {
	for kind, want := range map[string]string{
		"application/json": "JSON", "application/ld+json": "JSON", "text/html": "HTML", "image/svg+xml": "XML",
		"text/x-go": "Go", "main.go": "Go", "golang": "Go", "py": "Python", "text/markdown": "Markdown",
		"sh": "Bash", "ts": "TypeScript", "yml": "YAML", "text/plain": "", "": "", "nothing": "",
	} {
		got := ""
		if l := Find(kind); l != nil {
			got = l.Config().Name
		}
		if got != want {
			t.Errorf("Find(%q) is %q, not %q", kind, got, want)
		}
	}
}

// Every definition must compile and keep the text, whatever its language.
func TestLexersKeepTheText(t *testing.T) {
	text := "# a\n<style>b{color:#fff}</style><script>let x = \"y\"</script>\n```json\n{\"a\": 1}\n```\n" +
		"func main() { return `1` + '\\x' } // c\n* **b** _i_ `c` [l](u) \\* <!-- x -->\n"
	if n := len(registry().Lexers); n != len(fromChroma)+2 {
		t.Errorf("%d lexers", n)
	}
	for _, l := range registry().Lexers {
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

func TestOwnDefinitions(t *testing.T) {
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
		it, err := Find(c.kind).Tokenise(nil, c.text)
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
