package catalog_test

import (
	"slices"
	"testing"

	"mcptea/internal/catalog"
)

type entry struct {
	ID    string
	Times int
}

func TestCatalog_Read(t *testing.T) {
	got := catalog.Read[entry]([]byte("{\"id\":\"a\",\"times\":2}\n\n{\"id\":\"b\"}"))
	if want := []entry{{"a", 2}, {ID: "b"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCatalog_Read_MistakesPanic(t *testing.T) {
	for _, table := range []string{`{"id":"a"`, `{"id":1}`, `{"other":1}`, `[]`} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", table)
				}
			}()
			catalog.Read[entry]([]byte(table))
		}()
	}
}

func TestCatalog_Lazy_ParsesOnce(t *testing.T) {
	entries := catalog.Lazy[entry]([]byte(`{"id":"a"}`))
	if first := entries(); len(first) != 1 || &first[0] != &entries()[0] {
		t.Errorf("%v", first)
	}
}

func TestCatalog_Decode_KeepsWhatTheLineLacks(t *testing.T) {
	e := entry{ID: "a", Times: 3}
	catalog.Decode([]byte(`{"id":"b"}`), &e)
	if e != (entry{"b", 3}) {
		t.Errorf("%v", e)
	}
}

func TestCatalog_Fill(t *testing.T) {
	value := func(name string) string { return "<" + name + "{x}>" }
	for text, want := range map[string]string{
		"":                    "",
		"no hole":             "no hole",
		"{a}{b_C} end":        "<a{x}><b_C{x}> end",
		`{"k":1} {} {a b} {a`: `{"k":1} {} {a b} {a`,
		"{{a}}":               "{<a{x}>}",
	} {
		if got := catalog.Fill(text, value); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := catalog.Named("{method} needs {x_y}"); got != "METHOD needs X_Y" {
		t.Error(got)
	}
}
