package syntax_test

import (
	"strings"
	"testing"

	"mcptea/client/hosts/syntax"
)

// at returns the text of the value at a path in a file.
func at(t *testing.T, format syntax.Format, data string, path ...string) string {
	t.Helper()
	tree, err := syntax.Parse(format, []byte(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	n := tree.Root.Get(path...)
	if n == nil {
		t.Fatalf("%s: no value at %q", data, path)
	}
	return data[n.Start:n.End]
}

func TestParse_RangesOfValues(t *testing.T) {
	for _, c := range []struct {
		format syntax.Format
		data   string
		path   []string
		want   string
	}{
		{syntax.JSON, `{"a": {"b": [1, "x]" ]}}`, []string{"a", "b"}, `[1, "x]" ]`},
		{syntax.JSONC, "\xef\xbb\xbf{/*c*/\"a\": \"b\", // d\n}", []string{"a"}, `"b"`},
		{syntax.TOML, "[a.\"b.c\"]\nd = [ # x ]\n  'e', \"f]\",\n] # g\n", []string{"a", "b.c", "d"}, "[ # x ]\n  'e', \"f]\",\n]"},
		{syntax.TOML, "a.b = { c = 'd', e = [1] }\n", []string{"a", "b"}, "{ c = 'd', e = [1] }"},
		{syntax.TOML, "a.b = { c = 'd', e = [true] }\n", []string{"a", "b", "e"}, "[true]"},
		{syntax.TOML, "a = 1.50 # x\n", []string{"a"}, "1.50"},
		{syntax.TOML, "a = \"\"\"\nx\"\"\"\n", []string{"a"}, "\"\"\"\nx\"\"\""},
	} {
		if got := at(t, c.format, c.data, c.path...); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.format, c.data, got, c.want)
		}
	}
}

func TestParse_Deviations(t *testing.T) {
	tree, err := syntax.Parse(syntax.JSON, []byte("{\n// x\n\"a\": [1,],}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		Comment bool
		Offset  int
		Pointer string
	}{{Comment: true, Offset: 2}, {Offset: 14, Pointer: "/a"}, {Offset: 16}}
	if len(tree.Deviations) != len(want) {
		t.Fatalf("got %+v", tree.Deviations)
	}
	for i, d := range tree.Deviations {
		if d.Comment != want[i].Comment || d.Offset != want[i].Offset || d.Around != nil && d.Around.Pointer() != want[i].Pointer {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
	}
}

func TestParse_Errors(t *testing.T) {
	for _, c := range []struct {
		format syntax.Format
		data   string
		line   int
	}{
		{syntax.JSON, "{\n\"a\": \"\\U\"}", 2},
		{syntax.JSON, "", 1},
		{syntax.JSON, strings.Repeat("[", 1<<20), 1},
		{syntax.TOML, "a = 1\nb = npx\n", 2},
		{syntax.TOML, "a = " + strings.Repeat("[", 1<<20), 1},
		{syntax.TOML, "a.b = 1\n[a]\nc = 1\n", 2},
		{syntax.YAML, "a:\n\tb: c\n", 2},
		{syntax.YAML, "a: &a [*a]\n", 1},
		{syntax.YAML, "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n", 1},
	} {
		_, err := syntax.Parse(c.format, []byte(c.data))
		e, ok := err.(*syntax.Error)
		// Who shows it says before what kind of text it is not.
		if !ok || e.Line != c.line || e.Message == "" || strings.Contains(e.Message, "not valid") {
			t.Errorf("%s %.40q: got %#v, want line %d", c.format, c.data, err, c.line)
		}
	}
}

// FuzzParse expects that no file makes a parser panic, and that all ranges are
// inside the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"b",{"c":null}]}`, "a = [1, { b = 'c' }]\n[[d]]\ne.f = 2\n", "a: &b [x, {y: z}]\nc:\n  - *b\n  - <<: {d: e}\n", "{// c\n}", "a: |\n  b\n"} {
		for _, format := range []string{"json", "toml", "yaml"} {
			f.Add(format, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		tree, err := syntax.Parse(syntax.Format(format), data)
		if err != nil {
			return
		}
		var check func(n *syntax.Node)
		check = func(n *syntax.Node) {
			if n.Start < 0 || n.Start > len(data) || n.End > len(data) {
				t.Fatalf("range %d:%d of a file of %d bytes", n.Start, n.End, len(data))
			}
			for _, m := range n.Members {
				if m.At < 0 || m.At > len(data) {
					t.Fatalf("key %q at %d of a file of %d bytes", m.Key, m.At, len(data))
				}
				check(m)
			}
			for _, item := range n.Items {
				check(item)
			}
		}
		check(tree.Root)
	})
}
