package parts_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/press"
	"mcptea/internal/words/display"
	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

var textfieldPalette = paint.NewPalette(themes.ForBackground(true), false)

func do(b *textfield.Buffer, keys ...string) {
	for _, k := range keys {
		b.Key(press.Key(k))
	}
}

func TestTextfield_Editing(t *testing.T) {
	for _, tc := range []struct {
		name, start string
		keys        []string
		want        string
	}{
		{"type", "", []string{"a", "é", "日"}, "aé日"},
		{"in the middle", "ac", []string{"left", "b"}, "abc"},
		{"backspace takes a whole cluster", "a👩‍💻", []string{"backspace"}, "a"},
		{"delete takes a whole cluster", "e\u0301x", []string{"home", "delete"}, "x"},
		{"word", "one two-three", []string{"ctrl+w", "ctrl+w"}, "one "},
		{"word with alt", "one two-three", []string{"alt+backspace", "alt+backspace"}, "one "},
		{"word with ctrl", "one two-three", []string{"ctrl+backspace"}, "one two-"},
		{"next word", "one two", []string{"home", "alt+d"}, " two"},
		{"to the start", "one two", []string{"alt+left", "ctrl+u"}, "two"},
		{"to the end", "one two", []string{"alt+left", "ctrl+k"}, "one "},
		{"new line keeps the indent", "{\n  \"a\": 1,", []string{"enter", "x"}, "{\n  \"a\": 1,\n  x"},
		{"join", "a\nb", []string{"home", "backspace"}, "ab"},
		{"join forward", "a\nb", []string{"up", "end", "delete"}, "ab"},
		{"up keeps the column", "abcdef\nx\nabcdef", []string{"up", "up", "!"}, "abcdef!\nx\nabcdef"},
		{"across lines", "a\nb", []string{"left", "left", "!"}, "a!\nb"},
	} {
		b := &textfield.Buffer{Multi: true}
		b.SetValue(tc.start)
		do(b, tc.keys...)
		if got := b.Value(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestTextfield_PasteIsCleaned(t *testing.T) {
	b := &textfield.Buffer{}
	b.Insert("a\x1b[31m\r\nb\x00\x9b\xff\u202e")
	if got := b.Value(); got != "a[31m\nb\uFFFD\u202e" {
		t.Errorf("got %q", got)
	}
	if b.LineCount() != 1 {
		t.Errorf("one line became %d", b.LineCount())
	}
	row := ansi.Strip(b.Rows(textfieldPalette, textfieldPalette.Field, 40, 1, textfield.Plain(textfieldPalette.Text))[0])
	if !strings.HasPrefix(row, "a[31m⏎b\uFFFD‹U+202E› ") {
		t.Errorf("painted %q", row)
	}
}

func TestTextfield_CursorStaysInTheWindow(t *testing.T) {
	b := &textfield.Buffer{Multi: true}
	for range 30 {
		b.Insert("日本語 text that is long\n")
	}
	b.Insert("日本語 text that is long")
	for _, keys := range [][]string{nil, {"home"}, {"end", "up", "up"}, {"ctrl+home"}, {"end"}, {"left", "left"}} {
		do(b, keys...)
		rows := b.Rows(textfieldPalette, textfieldPalette.Field, 10, 4, textfield.Plain(textfieldPalette.Text))
		x, y := b.Cursor()
		if x < 0 || x >= 10 || y < 0 || y >= 4 {
			t.Errorf("%v: cursor at %d,%d", keys, x, y)
		}
		for _, r := range rows {
			if ansi.StringWidth(r) != 10 {
				t.Errorf("%v: %q", keys, r)
			}
		}
		b.Click(x, y)
		if nx, ny := b.Cursor(); nx != x || ny != y {
			t.Errorf("%v: a click on the cursor moved it from %d,%d to %d,%d", keys, x, y, nx, ny)
		}
	}
}

// The bytes that are allocated for moving and painting must not grow with the
// text.
func TestTextfield_Rows_AllocateByTheWindow(t *testing.T) {
	for name, unit := range map[string]string{"lines": "{\"a\": \"some line of text\"}\n", "one line": `{"a":"some text"},`} {
		var allocated [2]uint64
		for i, size := range []int{64 << 10, 2 << 20} {
			b := &textfield.Buffer{Multi: true}
			b.Insert(strings.Repeat(unit, size/len(unit)))
			b.Rows(textfieldPalette, textfieldPalette.Field, 80, 20, textfield.Plain(textfieldPalette.Text))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 10 {
				do(b, "left", "up")
				b.Rows(textfieldPalette, textfieldPalette.Field, 80, 20, textfield.Plain(textfieldPalette.Text))
			}
			runtime.ReadMemStats(&after)
			allocated[i] = after.TotalAlloc - before.TotalAlloc
		}
		if allocated[1] > 2*allocated[0]+64<<10 {
			t.Errorf("%s: %d bytes are allocated for 64 kB of text, and %d for 2 MB", name, allocated[0], allocated[1])
		}
	}
}

func TestTextfield_LongLine_ShowsTheTextAroundTheCursor(t *testing.T) {
	b := &textfield.Buffer{}
	b.Insert(strings.Repeat("plain, 日本語, e\u0301, \u202e, 👩‍💻 ", 3*8192/40))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		b.SetOffset(random.IntN(b.Size()))
		switch i % 4 {
		case 0:
			do(b, "x")
		case 1:
			do(b, "backspace")
		case 2:
			b.Insert("日本\u0301語")
		case 3:
			do(b, "left", "alt+right", "delete")
		}
		row := ansi.Strip(b.Rows(textfieldPalette, textfieldPalette.Field, 30, 1, textfield.Plain(textfieldPalette.Text))[0])
		if ansi.StringWidth(row) != 30 {
			t.Fatalf("after edit %d: painted %q", i, row)
		}
		x, _ := b.Cursor()
		before := b.Value()[:b.Offset()]
		if seen := ansi.Truncate(row, x, ""); !strings.HasSuffix(display.Sanitize(before), strings.TrimLeft(seen, " …")) {
			t.Fatalf("after edit %d: %q is before the cursor, and %q is painted", i, before[max(len(before)-40, 0):], seen)
		}
	}
}

func FuzzTextfield_Buffer(f *testing.F) {
	f.Add("a\nb", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	names := []string{"left", "right", "up", "down", "home", "end", "enter", "backspace", "delete", "ctrl+w", "alt+right", "alt+left", "ctrl+k", "ctrl+u", "x", "日", "alt+d", "ctrl+home", "ctrl+end"}
	f.Fuzz(func(t *testing.T, s string, keys []byte) {
		b := &textfield.Buffer{Multi: len(s)%2 == 0, Raw: len(s)%4 == 0}
		b.Insert(s)
		if b.Raw && b.Value() != s {
			t.Fatalf("%q became %q", s, b.Value())
		}
		for _, k := range keys[:min(len(keys), 50)] {
			do(b, names[int(k)%len(names)])
			b.Rows(textfieldPalette, textfieldPalette.Field, 7, 3, textfield.Plain(textfieldPalette.Text))
			if at := b.Offset(); at < 0 || at > len(b.Value()) {
				t.Fatalf("cursor at %d of %q", at, b.Value())
			}
			if _, y := b.Cursor(); b.Multi && (y < 0 || y >= 3) {
				t.Fatalf("cursor in row %d of %q", y, b.Value())
			}
			if b.Size() != len(b.Value()) {
				t.Fatalf("the size of %q is %d", b.Value(), b.Size())
			}
		}
		for b.Undo() {
		}
		if b.Value() != "" {
			t.Fatalf("%q is left when everything is undone", b.Value())
		}
		for b.Redo() {
		}
		for _, r := range b.Rows(textfieldPalette, textfieldPalette.Field, 7, 3, textfield.Plain(textfieldPalette.Text)) {
			if ansi.StringWidth(r) != 7 {
				t.Fatalf("row %q", r)
			}
		}
	})
}

func TestTextfield_Scroll_MovesTheWindowAndKeepsTheCursorInIt(t *testing.T) {
	b := &textfield.Buffer{Multi: true}
	for i := range 30 {
		b.Insert(fmt.Sprintf("line %d\n", i))
	}
	b.Insert("line 30")
	do(b, "ctrl+home")
	window := func() string {
		var lines []string
		for _, row := range b.Rows(textfieldPalette, textfieldPalette.Field, 20, 4, textfield.Plain(textfieldPalette.Text)) {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(ansi.Strip(row)), "line "))
		}
		x, y := b.Cursor()
		return fmt.Sprint(lines, " ", x, ",", y)
	}
	window()
	for _, tc := range []struct {
		n    int
		want string
	}{
		{3, "[3 4 5 6] 0,0"}, {-2, "[1 2 3 4] 0,2"}, {-9, "[0 1 2 3] 0,3"}, {100, "[27 28 29 30] 0,0"}, {1, "[27 28 29 30] 0,0"}, {-100, "[0 1 2 3] 0,3"},
	} {
		if b.Scroll(tc.n); window() != tc.want {
			t.Errorf("after %d rows: %s, want %s", tc.n, window(), tc.want)
		}
	}
	short := &textfield.Buffer{Multi: true}
	short.Insert("one\ntwo")
	short.Rows(textfieldPalette, textfieldPalette.Field, 20, 4, textfield.Plain(textfieldPalette.Text))
	if short.Scroll(3); short.Offset() != 7 {
		t.Errorf("a text that is all in sight is scrolled: the cursor is at %d", short.Offset())
	}
}

func TestTextfield_Undo_Bound(t *testing.T) {
	for changes, want := range map[int]int{200: 200, 201: 200} {
		var b textfield.Buffer
		for i := range changes {
			b.Insert(fmt.Sprint(i, " "))
		}
		n := 0
		for n <= changes && b.Undo() {
			n++
		}
		if n != want {
			t.Errorf("of %d changes %d are undone", changes, n)
		}
		if text := b.Value(); (text == "") != (changes <= 200) {
			t.Errorf("after the undo of %d changes %q is left", changes, text)
		}
	}
}
