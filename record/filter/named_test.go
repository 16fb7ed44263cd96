package filter

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client/transport"
)

func names(t *testing.T, list ...Named) Names {
	t.Helper()
	n, err := NewNames("c.yaml", list)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNames_StandForTheirFilterInParentheses(t *testing.T) {
	n := names(t, Named{"wrong", "dir:in or kind:invalid", 1}, Named{"both", "@wrong -@a_-1", 2}, Named{"a_-1", `"@wrong"`, 3})
	fr := frame(transport.In, "m", `{"method":"m","x":"mail@both.test"}`, 0)
	for text, want := range map[string]bool{
		"@wrong": true, "-@wrong": false, "@wrong zzz": false, "zzz or @wrong": true, "(@wrong)": true, "-(@wrong)": false,
		"@both": true, "-@both": false, "@a_-1": false, "@both -@wrong": false,
		// What is not exactly a name is text.
		"@both.test": true, `"@both"`: true, `"@wrong"`: false, "@wrongs": false, "mail@both": true, "@Wrong": false, "@": true, "-@nowhere": true,
		// A name is not a value of a property.
		"id:@wrong": false,
	} {
		f, err := Frames.With(n).Parse(text)
		if err != nil || f.Match(fr) != want {
			t.Errorf("%s: %t, %v", text, f.Match(fr), err)
		}
		expanded := n.Expand(text)
		if f, err := Parse(expanded); err != nil || f.Match(fr) != want {
			t.Errorf("%s, that is %s: %t, %v", text, expanded, f.Match(fr), err)
		}
	}
	if f, err := Parse("@wrong"); err != nil || f.Match(fr) {
		t.Errorf("a name counts without its definition: %v", err)
	}
	if f, _ := Frames.With(n).Parse("@a_-1 b"); strings.Join(f.Words(), ",") != "@wrong,b" {
		t.Errorf("words %v", f.Words())
	}
}

// A named filter that asks how requests ended is looked at again.
func TestNames_ChangeAsTheirFilters(t *testing.T) {
	n := names(t, Named{"slow", "took:>1s", 1}, Named{"found", "rule:*", 2})
	if f, _ := Frames.With(n).Parse("@slow"); !f.Changes() || f.Linted() {
		t.Error("@slow does not change")
	}
	if f, _ := Frames.With(n).Parse("-@found"); f.Changes() || !f.Linted() {
		t.Error("@found is not linted")
	}
}

func TestNewNames_Errors(t *testing.T) {
	chain := func(length int) (list []Named) {
		for i := range length {
			list = append(list, Named{fmt.Sprintf("n%d", i), fmt.Sprintf("x @n%d", i+1), i + 1})
		}
		return list
	}
	if _, err := NewNames("c.yaml", chain(8)); err != nil {
		t.Errorf("8 deep: %v", err)
	}
	var wide []Named
	for i := range 8 {
		wide = append(wide, Named{fmt.Sprintf("n%d", i), strings.Repeat(fmt.Sprintf("@n%d ", i+1), 100), i + 1})
	}
	for _, c := range []struct {
		list []Named
		want string
	}{
		{[]Named{{"a", "@b", 2}, {"b", "x or -@a", 3}}, "c.yaml:2: filters.a: the filters form a cycle: @a (line 2) → @b (line 3) → @a (line 2)"},
		{[]Named{{"a", "@a", 2}}, "c.yaml:2: filters.a: the filters form a cycle: @a (line 2) → @a (line 2)"},
		{[]Named{{"top", "@a", 1}, {"a", "@a", 2}}, "the filters form a cycle: @top (line 1) → @a (line 2) → @a (line 2)"},
		{chain(9), "c.yaml:1: filters.n0: names are nested more than 8 deep: @n0 (line 1) → @n1 (line 2)"},
		{append([]Named{{"above", "@n0", 20}}, chain(8)...), "c.yaml:20: filters.above: names are nested more than 8 deep"},
		{[]Named{{"a", "status:nope", 7}}, "c.yaml:7: filters.a: status: takes ok, error"},
		{[]Named{{"a", "(x", 7}}, "c.yaml:7: filters.a: ( has no )"},
		{[]Named{{"a", " ", 7}}, "c.yaml:7: filters.a: the filter is empty"},
		{wide, "makes it a filter of more than 1000 parts"},
	} {
		if _, err := NewNames("c.yaml", c.list); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.list, err)
		}
	}
}

// The place of a wrong part is that of the line, not of the definition.
func TestNames_PlacesOfErrors(t *testing.T) {
	l := Frames.With(names(t, Named{"long", "a b c d e f g h", 1}))
	_, err := l.Parse("@long kind:x")
	if list := Errors(err); len(list) != 1 || list[0].At != 11 || list[0].End != 12 {
		t.Errorf("%v", err)
	}
}

func TestComplete_Names(t *testing.T) {
	l := Frames.With(names(t, Named{"errors", "status:error", 1}, Named{"slow", "took:>1s", 2}, Named{"slower", "took:>9s", 3}))
	for text, want := range map[string]string{
		"@": "@errors @slow @slower", "x @s": "@slow @slower", "-@e": "-@errors", "(@slow": "@slower", "@errors": "", "@x": "", `"@`: "",
	} {
		var got []string
		from, list := l.Complete(text, len(text), func(string) []string { return nil })
		for _, c := range list {
			if got = append(got, c.Part); c.About == "" || c.Example != c.Part || !strings.HasPrefix(c.Part, text[from:]) {
				t.Errorf("%s: %+v", text, c)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	if _, list := Frames.Complete("@", 1, nil); list != nil {
		t.Errorf("without names: %v", list)
	}
}

func FuzzNames(f *testing.F) {
	f.Add(`status:ok or "a b"`, `x -@a (@a or y)`)
	f.Fuzz(func(t *testing.T, definition, text string) {
		n, err := NewNames("", []Named{{Name: "a", Text: definition}})
		if err != nil {
			return
		}
		named, err := Frames.With(n).Parse(text)
		expanded, wrong := Parse(n.Expand(text))
		fr := frame(transport.In, "m", `{"id":1,"x":"a b y"}`, 0)
		if (err == nil) != (wrong == nil) || err == nil && named.Match(fr) != expanded.Match(fr) {
			t.Errorf("%q with @a = %q: %t, %v; as %q: %t, %v", text, definition, named.Match(fr), err, n.Expand(text), expanded.Match(fr), wrong)
		}
	})
}
