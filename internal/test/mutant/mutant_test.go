package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMutantsOf(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"comparison", `if a < 3 { f() }`, `a < 3 → !(a < 3)|< → <=|3 → (3 + 1)`},
		{"equality is negated once", `if a == b { f() }`, `== → !=`},
		{"connective", `x = a && b || c`, `|| → &&|&& → ||`},
		{"loop", `for ok { f() }`, `ok → !(ok)`},
		{"boolean constant", `x = true`, `true → false`},
		{"text", `f("a", "")`, `\"a\" → \"mutant\"`},
		{"error", `return v, err`, `err → nil`},
		{"result in a function literal", `_ = func() bool { return ok }`, `ok → false`},
		{"constant result", `_ = func() bool { return true }`, `true → false`},
		{"result of a call", `return g()`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := "package p\n\nimport \"fmt\"\n\nfunc h() (int, error) {\n\t" + tt.source + "\n}\n"
			found, err := mutantsOf("p.go", []byte(source))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found {
				text, ok := strings.CutPrefix(m.String(), "p.go:6: ")
				if !ok {
					t.Errorf("%v is not of line 6", m)
				}
				got = append(got, text)
				if changed := string(m.apply([]byte(source))); changed != source[:m.from]+m.is+source[m.to:] || changed == source {
					t.Errorf("%v writes\n%s", m, changed)
				}
			}
			if got := strings.Join(got, "|"); got != tt.want {
				t.Errorf("mutants\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A mutant that does not compile is not tried, one is noticed by the tests of another package, one
// survives, and the file stays unchanged.
func TestTry(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"go.mod":      "module example.test/m\n\ngo 1.26\n",
		"p/p.go":      "package p\n\n// Tested is tested.\nfunc Tested() bool { return true }\n\n// Other is not.\nfunc Other() bool { return false }\n\nfunc alwaysNil() error {\n\tvar err error\n\treturn err\n}\n",
		"q/q.go":      "package q\n",
		"q/q_test.go": "package q\n\nimport (\n\t\"testing\"\n\n\t\"example.test/m/p\"\n)\n\nfunc TestTested(t *testing.T) {\n\tif !p.Tested() {\n\t\tt.Fail()\n\t}\n}\n",
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mutants, err := mutantsIn([]string{"p/p.go:11", "p/p.go:4", "p/p.go:7"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	survivors, err := try(t.Context(), &out, mutants, len(mutants), []string{"./p", "./q"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "caught    p/p.go:4: true → false  (example.test/m/q)\nSURVIVES  p/p.go:7: false → true\n1 of 2 mutants survive.\n"
	if survivors != 1 || out.String() != want {
		t.Errorf("%d survivors:\n%s\nwant\n%s", survivors, out.String(), want)
	}
	if text, err := os.ReadFile("p/p.go"); err != nil || string(text) != files["p/p.go"] {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// A seed chooses the same mutants each time, and each of them once.
func TestChoose(t *testing.T) {
	all := make([]mutant, 50)
	for i := range all {
		all[i].line = i
	}
	a, b, other := choose(all, 1), choose(all, 1), choose(all, 2)
	seen := map[int]bool{}
	same := true
	for i := range all {
		if a[i] != b[i] {
			t.Errorf("place %d differs", i)
		}
		same = same && a[i] == other[i]
		seen[a[i].line] = true
	}
	if same || len(seen) != len(all) {
		t.Errorf("%d of %d chosen; another seed chooses the same: %v", len(seen), len(all), same)
	}
}
