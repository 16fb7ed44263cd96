package jsonview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/themes"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
)

func view(t testing.TB, s string) *View {
	t.Helper()
	d, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return NewView(d)
}

func rows(v *View, w, h int) string {
	lines := v.Rows(palette, colours, w, h, true)
	for i, l := range lines {
		if ansi.StringWidth(l) != w {
			panic(fmt.Sprintf("row %d is %d cells: %q", i, ansi.StringWidth(l), l))
		}
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

const answer = `{"jsonrpc":"2.0","id": 9,"error":{"code":-32602,"message":"Resource not found","data":{"uri":"demo://missing"}},"odd key":[1.0,[],{},[10e3,"two\u0031",null,true]]}`

func TestRows(t *testing.T) {
	v := view(t, answer)
	v.Note("/id", "answers #36, 3.0 ms")
	selectPath(v, "$.error.data")
	v.Toggle()
	selectPath(v, "$.error.code")
	golden.RequireEqual(t, rows(v, 60, 24))
}

func TestRowsNarrow(t *testing.T) {
	v := view(t, `{"text":"`+strings.Repeat("long ", 500)+`","esc\u001b`+"\u202e"+`":{"a":{"b":{"c":{"d":{"e":[1]}}}}}}`)
	golden.RequireEqual(t, rows(v, 30, 16))
}

func TestText_BrokenKeepsItsStart(t *testing.T) {
	d, err := Parse([]byte(`{"a":[1,{"b":2},"c" oops],"x":1}`))
	if err == nil || err.Error() != "invalid character 'o' after array element at byte 20" {
		t.Fatalf("got %v", err)
	}
	v := NewView(d)
	golden.RequireEqual(t, rows(v, 60, 10))
	selectPath(v, "$.a")
	v.Toggle()
	if got := rows(v, 60, 2); !strings.Contains(got, `"a": [ 3 ]`) {
		t.Errorf("folded:\n%s", got)
	}
}

func TestPaths(t *testing.T) {
	v := view(t, answer)
	want := map[string]string{
		"$":                  answer,
		"$.id":               "9",
		"$.error.data.uri":   `"demo://missing"`,
		`$["odd key"][0]`:    "1.0",
		`$["odd key"][1]`:    "[]",
		`$["odd key"][3][1]`: `"two\u0031"`,
		`$["odd key"][3]`:    `[10e3,"two\u0031",null,true]`,
		"$.error.data":       `{"uri":"demo://missing"}`,
	}
	for path, value := range want {
		if !selectPath(v, path) {
			t.Errorf("%s not found", path)
			continue
		}
		if got := v.Path(); got != path {
			t.Errorf("%s calls itself %s", path, got)
		}
		if got := string(v.Value()); got != value {
			t.Errorf("%s is %s, want %s", path, got, value)
		}
	}
	// Every line has a name of its own, and is found again by its offset.
	for l := range v.doc.Len() {
		if n := lineOf(v, v.doc.Path(l)); n != v.doc.node(l) {
			t.Errorf("line %d, %s: found %d", l, v.doc.Path(l), n)
		}
		v.SelectOffset(v.doc.off(l))
		if v.cursor != l {
			t.Errorf("offset of line %d leads to %d", l, v.cursor)
		}
	}
}

func TestFolds_HideContent(t *testing.T) {
	v := view(t, `[{"a":[1,2]},{"b":3},4]`)
	v.FoldDepth(1)
	if got := rows(v, 20, 5); got != "▌▾ [\n   ▸ { 1 }\n   ▸ { 1 }\n     4\n   ]\n" {
		t.Errorf("got\n%s", got)
	}
	v.Move(2)
	if v.Path() != "$[1]" {
		t.Errorf("moved to %s", v.Path())
	}
	v.Move(-1)
	if v.Path() != "$[0]" {
		t.Errorf("moved back to %s", v.Path())
	}
	v.End()
	v.Move(-100)
	if v.Path() != "$" {
		t.Errorf("top is %s", v.Path())
	}
	v.UnfoldAll()
	selectPath(v, "$[0].a[1]")
	v.FoldDepth(0)
	if got := rows(v, 20, 2); got != "▌▸ [ 3 ]\n\n" {
		t.Errorf("got\n%s", got)
	}
	v.Unfold()
	v.Unfold()
	v.Unfold()
	if v.Path() != "$[0]" {
		t.Errorf("entered %s", v.Path())
	}
	v.Unfold()
	v.Fold()
	v.Fold()
	v.Fold()
	if v.Path() != "$" {
		t.Errorf("left to %s", v.Path())
	}
}

// The cheap way back up must agree with the way down, whatever is folded.
func TestPrev_InverseOfNext(t *testing.T) {
	for _, text := range []string{answer, `[[[1],[2,[3]]],{"a":{"b":[{}]}}]`, `[[1,[2`} {
		d, _ := Parse([]byte(text))
		for mask := range 1 << 9 {
			v := NewView(d)
			k := 0
			for l := range d.Len() {
				if d.isOpen(l) {
					v.setFolded(l, mask>>k&1 == 1)
					k++
				}
			}
			for l := 0; ; {
				n := v.next(l)
				if n < 0 {
					break
				}
				if back := v.prev(n); back != l || v.surface(n) != n {
					t.Fatalf("%s mask %b: next(%d)=%d, prev=%d, surface=%d", text, mask, l, n, back, v.surface(n))
				}
				l = n
			}
		}
	}
}

// selectPath moves to the value that a path names.
func selectPath(v *View, path string) bool {
	l := lineOf(v, path)
	if l >= 0 {
		v.reveal(l)
	}
	return l >= 0
}

// lineOf is the first line with a path; -1 without one.
func lineOf(v *View, path string) int {
	for l := range v.doc.Len() {
		if v.doc.Path(l) == path {
			return l
		}
	}
	return -1
}

// found searches as a whole.
func found(v *View, text string) bool {
	search := v.Search(text)
	return search != nil && v.Go(search())
}

func TestSearch(t *testing.T) {
	v := view(t, answer)
	v.FoldDepth(1)
	if !found(v, "missing") {
		t.Fatal("not found")
	}
	if v.Path() != "$.error.data.uri" {
		t.Errorf("at %s", v.Path())
	}
	if found(v, "MISSING") {
		t.Error("capitals match small letters")
	}
	v.Home()
	found(v, "o")
	var seen []string
	for range 6 {
		seen = append(seen, v.Path())
		v.Go(v.SearchNext()())
	}
	if got := strings.Join(seen, " "); got != `$.jsonrpc $.error $.error.code $.error.message $.error.data.uri $["odd key"]` {
		t.Errorf("went %s", got)
	}
	v.Go(v.SearchPrev()())
	if v.Path() != `$["odd key"]` {
		t.Errorf("back at %s", v.Path())
	}
	if found(v, ",") || v.Search("") != nil || v.SearchNext() != nil || v.SearchPrev() != nil {
		t.Error("found what stands between values")
	}
	found(v, "code")
	if got := v.Rows(palette, colours, 60, 10, true); !strings.Contains(strings.Join(got, ""), "48;2;61;56;33mcode") {
		t.Error("the hit is not marked")
	}
}

// What a string says is found, however the server has escaped it.
func TestSearch_Escapes(t *testing.T) {
	v := view(t, `{"a":"caf\u00e9 one","b":"http:\/\/x","\u00e9":1,"c":"café two","d":"ｔ\n"}`)
	for text, want := range map[string]string{
		"café":     "$.a $.c",
		"http://x": "$.b",
		`\u00e9`:   `$.a $["\u00e9"]`, // as it was sent
		"é":        `$.a $["\u00e9"] $.c`,
	} {
		v.Home()
		var seen []string
		for ok := found(v, text); ok && !slices.Contains(seen, v.Path()); ok = v.Go(v.SearchNext()()) {
			seen = append(seen, v.Path())
		}
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	v.Home() // the order of the map must not decide where the search begins
	found(v, "é")
	if v.Go(v.SearchPrev()()); v.Path() != "$.c" {
		t.Errorf("back at %s", v.Path())
	}
}

// However a match is found, it is the first one.
func TestSearch_FindsTheFirstMatch(t *testing.T) {
	raw := `{"key1":"aXbx","key2":"q","other":"` + strings.Repeat("abc ", 500) + `keyq","key3":"Q","last":"xkey"}`
	v := view(t, raw)
	for _, text := range []string{"key", "keyq", "q", "Q", "xb", "xk", "bx", "3", "zz", "abc keyq", "last", "LAST", `"q"`} {
		v.Home()
		searched, want := raw, text
		if strings.ToLower(text) == text {
			searched = strings.ToLower(raw)
		}
		at := strings.Index(searched, want)
		if ok := found(v, text); ok != (at >= 0) {
			t.Errorf("%q: found %v", text, ok)
		} else if ok && v.cursor != v.doc.lineAt(at) {
			t.Errorf("%q: line %d, want %d", text, v.cursor, v.doc.lineAt(at))
		}
	}
}

func TestScroll_KeepsCursorInside(t *testing.T) {
	v := view(t, "["+strings.Repeat("1,", 99)+"1]")
	rows(v, 20, 10)
	v.Scroll(20)
	if v.window.top.line != 20 || v.Path() != "$[19]" {
		t.Errorf("top %d, cursor %s", v.window.top.line, v.Path())
	}
	v.Turn(100 * v.Screen())
	if got := rows(v, 20, 10); !strings.HasSuffix(got, "▌  ]\n") {
		t.Errorf("end:\n%s", got)
	}
	v.Click(5, 3)
	if v.Path() != "$[94]" {
		t.Errorf("clicked %s", v.Path())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{answer, "", "[", `{"a":`, `{"a" 1}`, `[1,]`, "tru", `"\u00"`, "-", "1.e", "{}x", `["a":1]`, "\xff", `{"":{"":[]}}`, "01", `{"a":[1,{"b":2},"c" oops`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Parse(b)
		if (err == nil) != json.Valid(b) {
			t.Fatalf("%q: error %v, json.Valid %v", b, err, json.Valid(b))
		}
		v := NewView(d)
		for l := range d.Len() {
			start, end := d.Span(l)
			if start < 0 || start > end || end > len(b) {
				t.Fatalf("%q: line %d spans %d to %d", b, l, start, end)
			}
			if !d.isBroken(l) && err == nil && !json.Valid(d.Value(l)) {
				t.Fatalf("%q: line %d is %q", b, l, d.Value(l))
			}
			if scalar := d.place(l).bordering < 0 && !d.isBroken(l); scalar && !json.Valid(d.Value(l)) {
				t.Fatalf("%q: the value on line %d is %q", b, l, d.Value(l))
			}
			if l < 100 {
				d.Path(l)
			}
			if d.isOpen(l) && l < 100 {
				n := 0
				for c := range d.values(l) {
					if d.index(c) != n {
						t.Fatalf("%q: line %d has index %d, want %d", b, c, d.index(c), n)
					}
					n++
				}
				if got := d.children(l); got != n {
					t.Fatalf("%q: line %d has %d children, want %d", b, l, got, n)
				}
			}
		}
		if prev := v.SearchPrev; found(v, "a") {
			v.Go(prev()())
		}
		rows(v, 20, 5)
		v.FoldDepth(1)
		v.End()
		v.Move(-3)
		rows(v, 20, 5)
		v.SelectOffset(len(b) / 2)
		rows(v, 9, 3)
	})
}
