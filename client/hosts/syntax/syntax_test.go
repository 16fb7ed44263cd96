package syntax

import (
	"strings"
	"testing"
)

// at returns the text of the value at a path in a file.
func at(t *testing.T, format Format, data string, path ...string) string {
	t.Helper()
	tree, err := Parse(format, []byte(data))
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
		format Format
		data   string
		path   []string
		want   string
	}{
		{JSON, `{"a": {"b": [1, "x]" ]}}`, []string{"a", "b"}, `[1, "x]" ]`},
		{JSONC, "\xef\xbb\xbf{/*c*/\"a\": \"b\", // d\n}", []string{"a"}, `"b"`},
		{TOML, "[a.\"b.c\"]\nd = [ # x ]\n  'e', \"f]\",\n] # g\n", []string{"a", "b.c", "d"}, "[ # x ]\n  'e', \"f]\",\n]"},
		{TOML, "a.b = { c = 'd', e = [1] }\n", []string{"a", "b"}, "{ c = 'd', e = [1] }"},
		{TOML, "a.b = { c = 'd', e = [true] }\n", []string{"a", "b", "e"}, "[true]"},
		{TOML, "a = 1.50 # x\n", []string{"a"}, "1.50"},
		{TOML, "a = \"\"\"\nx\"\"\"\n", []string{"a"}, "\"\"\"\nx\"\"\""},
	} {
		if got := at(t, c.format, c.data, c.path...); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.format, c.data, got, c.want)
		}
	}
}

func TestParse_Deviations(t *testing.T) {
	tree, err := Parse(JSON, []byte("{\n// x\n\"a\": [1,],}\n"))
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
		format Format
		data   string
		line   int
	}{
		{JSON, "{\n\"a\": \"\\U\"}", 2},
		{JSON, "", 1},
		{JSON, strings.Repeat("[", 1<<20), 1},
		{TOML, "a = 1\nb = npx\n", 2},
		{TOML, "a = " + strings.Repeat("[", 1<<20), 1},
		{TOML, "a.b = 1\n[a]\nc = 1\n", 2},
		{YAML, "a:\n\tb: c\n", 2},
		{YAML, "a: &a [*a]\n", 1},
		{YAML, "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n", 1},
	} {
		_, err := Parse(c.format, []byte(c.data))
		e, ok := err.(*Error)
		if !ok || e.Line != c.line || e.Message == "" {
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
		tree, err := Parse(Format(format), data)
		if err != nil {
			return
		}
		var check func(n *Node)
		check = func(n *Node) {
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
