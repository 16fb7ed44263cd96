package skill

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const file = "---\nname: tea\ndescription: Brews tea\nmetadata:\n  since: 2026-01-02\n  cups: 3\n  tags: [a, b]\n---\n\nBoil water.\n"

func entry(t *testing.T, content string) Entry {
	t.Helper()
	e, err := List(fmt.Appendf(nil, `{"skills":[{"uri":"skill://tea/SKILL.md","frontmatter":{"name":"tea","description":"Brews tea","metadata":{"since":"2026-01-02","cups":3,"tags":["a","b"]}},
		"resources":[{"uri":"skill://tea/SKILL.md","digest":"sha256:%x","size":%d}]}]}`, sha256.Sum256([]byte(content)), len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return e[0]
}

func TestVerify(t *testing.T) {
	good := entry(t, file)
	if err := good.Verify(good.URI, []byte(file)); err != nil {
		t.Error(err)
	}
	tests := []struct{ name, content, what string }{
		{"another body of the same length", strings.Replace(file, "Boil", "Spil", 1), "digest"},
		{"more", file + "more\n", "size"},
	}
	for _, tt := range tests {
		var mismatch *MismatchError
		if err := good.Verify(good.URI, []byte(tt.content)); !errors.As(err, &mismatch) || mismatch.What != tt.what {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if err := good.Verify("skill://tea/other", nil); err == nil || !strings.Contains(err.Error(), "not one of the files") {
		t.Errorf("a file that is not listed: %v", err)
	}
}

func TestFrontmatterIsComparedFieldByField(t *testing.T) {
	for _, change := range [][2]string{{"Brews tea", "Sells secrets"}, {"cups: 3", "cups: 4"}, {"name: tea", "name: tea\nextra: 1"}} {
		content := strings.Replace(file, change[0], change[1], 1)
		e := entry(t, content) // digest and size are those of the changed file
		err := e.Verify(e.URI, []byte(content))
		var mismatch *MismatchError
		if !errors.As(err, &mismatch) || !strings.HasPrefix(mismatch.What, "frontmatter") {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

func TestBrokenFrontmatter(t *testing.T) {
	for content, want := range map[string]string{
		"name: tea\n":          "the first line is not ---",
		"---\nname: tea\n":     "a line --- is missing",
		"---\n[a]\n---\n":      "no mapping",
		"---\n\tname\n---\n":   "no YAML",
		"---\na: &a [*a]\n---": "",
	} {
		_, err := Frontmatter([]byte(content))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte("---\na: &a [*a, *a]\n---\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		fields, err := Frontmatter(content)
		if err == nil && fields == nil {
			t.Error("neither fields nor an error")
		}
	})
}
