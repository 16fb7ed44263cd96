package jsonview

import (
	"strings"
	"testing"

	"mcptea/ui/paint"
)

func TestPointers(t *testing.T) {
	v := view(t, `[{"a/b":{"m~n":1,"tw\u006f":[10,20,{"x":null}]},"x":1,"x":2,"":"empty"},[]]`)
	for pointer, want := range map[string]string{
		"":                 string(v.doc.raw),
		"/0/a~1b/m~0n":     "1",
		"/0/a~1b/two/1":    "20",
		"/0/a~1b/two/2/x":  "null",
		"/0/x":             "2", // as parsers have it
		"/0/":              `"empty"`,
		"/1":               "[]",
		"/0/a~1b/two/9":    `[10,20,{"x":null}]`, // not there: what is around it
		"/0/a~1b/two/-":    `[10,20,{"x":null}]`,
		"/0/missing/deep":  `{"a/b":{"m~n":1,"tw\u006f":[10,20,{"x":null}]},"x":1,"x":2,"":"empty"}`,
		"/0/x/of/a/scalar": "2",
		"/1/0":             "[]",
		"no pointer":       string(v.doc.raw),
	} {
		there := v.SelectPointer(pointer)
		if got := string(v.Value()); got != want {
			t.Errorf("%q is %s, want %s", pointer, got, want)
		}
		missing := strings.HasSuffix(pointer, "9") || strings.ContainsAny(pointer, "- ") || strings.Contains(pointer, "missing") || strings.Contains(pointer, "scalar") || pointer == "/1/0"
		if there == missing {
			t.Errorf("%q: there is %v", pointer, there)
		}
	}
}

func TestSelectPointer_Unfolds(t *testing.T) {
	v := view(t, `{"list":[`+strings.Repeat(`{"n":1},`, 50)+`{"n":2}]}`)
	v.FoldDepth(1)
	v.SelectPointer("/list/30/n")
	lines := strings.Split(rows(v, 40, 11), "\n")
	if !strings.HasPrefix(lines[5], "▌") {
		t.Errorf("the place is not in the middle:\n%s", strings.Join(lines, "\n"))
	}
	v.Move(2)
	if lines = strings.Split(rows(v, 40, 11), "\n"); !strings.HasPrefix(lines[7], "▌") {
		t.Errorf("the window moves with the cursor:\n%s", strings.Join(lines, "\n"))
	}
	v.SelectPointer("/list/50/n")
	if shown := rows(v, 40, 11); !strings.Contains(shown, "▌        \"n\": 2") || strings.Contains(shown, "\n\n") {
		t.Errorf("at the end:\n%s", shown)
	}
}

func TestMarks(t *testing.T) {
	v := view(t, `{"id":1,"result":{"a":2}}`)
	v.Note("/id", "a note")
	v.Mark("/id", paint.Span{Text: "J030"})
	v.Mark("/id", paint.Span{Text: "J031"})
	v.Mark("/result/b", paint.Span{Text: "T001"})
	if got := rows(v, 60, 7); !strings.Contains(got, "a note  J030\n") || !strings.Contains(got, `"result": {        T001`) || strings.Contains(got, "J031") {
		t.Errorf("marked:\n%s", got)
	}
	v.ClearMarks()
	if got := rows(v, 60, 7); strings.Contains(got, "J030") {
		t.Errorf("cleared:\n%s", got)
	}
	broken, err := Parse([]byte(`{"a":[1,oops`))
	if err == nil || !strings.HasSuffix(err.Error(), " at byte 8") {
		t.Fatal(err)
	}
	v = NewView(broken)
	v.Mark("/a/1", paint.Span{Text: "J001"})
	v.SelectPointer("/a/1")
	rows(v, 30, 4)
}

// A note is in the column of notes, but nearer to the value where it would be cut at the edge.
func TestNote_IsWhole(t *testing.T) {
	v := view(t, `{"id":11}`)
	v.Note("/id", "response to #23, 2.4 ms")
	if got := rows(v, 60, 3); !strings.Contains(got, `"id": 11           response to #23, 2.4 ms`) {
		t.Errorf("wide:\n%s", got)
	}
	if got := rows(v, 42, 3); !strings.Contains(got, `  response to #23, 2.4 ms`) {
		t.Errorf("narrow:\n%s", got)
	}
}

// What is folded to save rows is unfolded where all lines fit, and stays as the user has it.
func TestFoldPointer_OnlyWithoutRoom(t *testing.T) {
	v := view(t, `{"params":{"_meta":{"a":1,"b":2},"name":"x"}}`)
	v.FoldPointer("/params/_meta")
	shows := func(h int) bool {
		return strings.Contains(strings.Join(v.Rows(palette, colours, 60, h, true), "\n"), `"b"`)
	}
	if all, less := shows(9), shows(8); !all || less || !shows(20) {
		t.Errorf("in as many rows as there are lines it is unfolded: %v, in one less: %v", all, less)
	}
	v.SelectPointer("/params/_meta")
	v.Toggle()
	if shows(20) {
		t.Error("what the user has folded is unfolded")
	}
	v.Toggle()
	if !shows(8) {
		t.Error("what the user has unfolded is folded")
	}
}
