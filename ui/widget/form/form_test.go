package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

func sample() *Form {
	return New([]Field{
		{Name: "duration", Type: "number", Help: "seconds", Facts: "default 10", Size: 14, Value: "10"},
		{Name: "steps", Type: "integer", Help: "how many steps there are in the operation, each of which takes as long as the others", Facts: "default 5", Size: 14, Required: true},
		{Name: "message", Type: "string", Placeholder: "anything", Help: "what to echo"},
		{Name: "verbose", Type: "boolean", Kind: Toggle, Help: "say more"},
		{Name: "level", Type: "enum", Kind: Choice, Options: []string{"low", "medium", "high"}, Value: "high"},
		{Name: "tags", Type: "list", Kind: Choices, Options: []string{"red", "green", "blue", "ultraviolet", "日本"}, Value: "red, blue", Help: "some of them"},
		{Name: "evil\x1b[2J\u202e", Type: "str\ning", Help: "\x1b]0;x\x07"},
		{Name: "filter", Type: "object", Kind: Long, Placeholder: "{\n  \"x\": 0\n}", Help: "which ones", Required: true},
	})
}

func do(f *Form, keys ...string) {
	for _, k := range keys {
		f.Key(press.Key(k))
	}
}

func text(t *testing.T, f *Form, w, h int) string {
	t.Helper()
	rows := f.Rows(palette, w, h, true)
	if len(rows) != h {
		t.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells: %q", i, ansi.StringWidth(r), ansi.Strip(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestRowsWide(t *testing.T) {
	f := sample()
	f.SetProblem("steps", "expected an integer, found nothing")
	golden.RequireEqual(t, text(t, f, 150, 16)+"--\n"+text(t, f, 103, 16))
}

func TestRowsNarrow(t *testing.T) {
	f := sample()
	f.SetProblem("steps", "expected an integer, found nothing")
	out := text(t, f, 50, 22) + "--\n"
	f.Focus("filter")
	golden.RequireEqual(t, out+text(t, f, 30, 8))
}

func TestFillIn(t *testing.T) {
	f := sample()
	do(f, "end", "backspace", "5", "tab", "3", "down", "h", "i", "space", "tab", "space", "tab", "left", "tab", "right", "space", "tab", "tab", "{", "enter", "}", "up", "up")
	got := f.Values()
	for name, want := range map[string]string{"duration": "15", "steps": "3", "message": "hi ", "verbose": "true", "level": "medium", "tags": "red, green, blue", "filter": "{\n}"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if f.Focused() != "evil\x1b[2J\u202e" {
		t.Errorf("two up from the end of two lines: focus on %q", f.Focused())
	}
}

func TestTypingReplacesAnUntouchedDefault(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"3 . 5", "3.5"},
		{"tab shift+tab 7", "7"}, // going by touches nothing
		{"left 5", "150"},
		{"end 5", "105"},
		{"backspace 5", "15"},
		{"4 backspace", ""},
	} {
		f := sample()
		do(f, strings.Fields(tc.keys)...)
		if got := f.Values()["duration"]; got != tc.want {
			t.Errorf("%s gives %q, want %q", tc.keys, got, tc.want)
		}
	}
	f := sample()
	f.Set("duration", "4")
	if do(f, "2"); f.Values()["duration"] != "42" {
		t.Errorf("a value that was put there was replaced: %q", f.Values()["duration"])
	}
}

func TestTheShapeStaysUntilSomethingIsTyped(t *testing.T) {
	f := New([]Field{
		{Name: "filter", Kind: Long, Placeholder: "{\n  \"a\": {\n    \"x\": \"\"\n  }\n}"},
		{Name: "below"},
	})
	f.Focus("below")
	before := text(t, f, 100, 12)
	f.Focus("filter")
	if got := text(t, f, 100, 12); strings.ReplaceAll(got, "▌", " ") != strings.ReplaceAll(before, "▌", " ") {
		t.Errorf("the focus changes\n%sto\n%s", before, got)
	}
	do(f, "{")
	got := text(t, f, 100, 12)
	if strings.Contains(got, `"x"`) || !strings.HasPrefix(strings.Split(got, "\n")[6], " below") {
		t.Errorf("after the first character:\n%s", got)
	}
	for _, key := range []string{"right", "ctrl+space"} {
		f.Set("filter", "")
		if !f.CanFill() {
			t.Fatal("the shape cannot be filled in")
		}
		do(f, key, "y")
		if got := f.Values()["filter"]; got != "{\n  \"a\": {\n    \"x\": \"y\"\n  }\n}" || f.CanFill() {
			t.Errorf("%s gives %q", key, got)
		}
	}
}

func TestFactsAreCutLast(t *testing.T) {
	f := New([]Field{
		{Name: "b", Type: "number", Help: strings.Repeat("many words about it ", 20), Facts: "default 1, -1000000 to 1000000", Size: 14},
		{Name: "l", Kind: Long, Type: "array of string", Help: strings.Repeat("many words about it ", 20), Facts: "at least 3 characters"},
		{Name: "s", Type: "string", Help: strings.Repeat("many words about it ", 20), Facts: "default something"},
	})
	for w := 40; w < 140; w += 5 {
		got := strings.Join(strings.Fields(text(t, f, w, 24)), " ")
		for _, want := range []string{"default 1,", "1000000", "3 characters", "default something"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d cells: %q is not in %s", w, want, got)
			}
		}
	}
}

func TestKeysAtTheEnds(t *testing.T) {
	f := sample()
	if f.Key(press.Key("shift+tab")) || f.Key(press.Key("up")) || f.Key(press.Key("enter")) {
		t.Error("a key meant something at the first field")
	}
	f.Focus("filter")
	if f.Key(press.Key("tab")) || !f.Key(press.Key("enter")) {
		t.Error("tab or enter in the last field")
	}
	if New(nil).Key(press.Key("tab")) || New(nil).Focused() != "" {
		t.Error("an empty form took a key")
	}
	text(t, New(nil), 20, 2)
}

func TestToggleAndChoice(t *testing.T) {
	f := sample()
	f.Focus("verbose")
	for _, tc := range []struct{ key, want string }{{"space", "true"}, {"space", "false"}, {"space", "true"}, {"backspace", ""}, {"f", "false"}} {
		do(f, tc.key)
		if got := f.Values()["verbose"]; got != tc.want {
			t.Errorf("after %s: %q", tc.key, got)
		}
	}
	f.Focus("level")
	for _, tc := range []struct{ key, want string }{{"right", "low"}, {"m", "medium"}, {"x", "medium"}, {"end", "high"}, {"delete", ""}, {"left", "high"}} {
		do(f, tc.key)
		if got := f.Values()["level"]; got != tc.want {
			t.Errorf("after %s: %q, want %q", tc.key, got, tc.want)
		}
	}
	if f.Set("level", "none") || f.Set("absent", "") || !f.Set("level", "low") {
		t.Error("set")
	}
}

func TestPasteAndProblem(t *testing.T) {
	f := sample()
	f.SetProblem("duration", "wrong")
	before := f.Version()
	if !f.FocusProblem() || !f.Paste("7\x1b[31m\n") {
		t.Fatal("paste")
	}
	if got := f.Values()["duration"]; got != "7[31m\n" || f.Version() == before {
		t.Errorf("got %q", got)
	}
	if strings.Contains(text(t, f, 100, 8), "wrong") {
		t.Error("the problem stays after an edit")
	}
}

func TestCursorIsInTheInput(t *testing.T) {
	f := sample()
	for _, w := range []int{40, 50, 100, 150} {
		for range f.Len() {
			rows := f.Rows(palette, w, 6, true)
			x, y, ok := f.Cursor()
			if kind := f.fields[f.focus].Kind; ok != (kind == Text || kind == Long) {
				t.Errorf("%s: cursor %v", f.Focused(), ok)
			}
			if ok && (x < 0 || x >= w || y < 0 || y >= len(rows)) {
				t.Errorf("%s at %d: cursor at %d,%d", f.Focused(), w, x, y)
			}
			f.Next()
		}
		f.Focus("duration")
	}
}

func TestClick(t *testing.T) {
	f := sample()
	rows := strings.Split(text(t, f, 100, 20), "\n")
	for y, row := range rows {
		if at := strings.Index(row, "[ ] green"); at >= 0 {
			f.Click(ansi.StringWidth(row[:at])+1, y)
		}
		if at := strings.Index(row, "not sent"); at >= 0 && strings.Contains(row, "verbose") {
			f.Click(ansi.StringWidth(row[:at]), y)
		}
	}
	if got := f.Values(); got["tags"] != "red, green, blue" || got["verbose"] != "true" {
		t.Errorf("got %v", got)
	}
}

func TestManyFieldsScroll(t *testing.T) {
	var fields []Field
	for i := range 200 {
		fields = append(fields, Field{Name: fmt.Sprintf("field%03d", i), Type: "string"})
	}
	f := New(fields)
	f.Focus("field150")
	if got := text(t, f, 100, 10); !strings.Contains(got, "▌field150") {
		t.Errorf("got\n%s", got)
	}
	if above, below := f.Hidden(); !above || !below {
		t.Errorf("hidden above %v, below %v", above, below)
	}
}

func BenchmarkRows(b *testing.B) {
	f := sample()
	b.ReportAllocs()
	for b.Loop() {
		f.Rows(palette, 120, 30, true)
	}
}

// Painting a form after a key must not paint the fields that stay the same.
func TestRows_AllocateByTheChange(t *testing.T) {
	allocs := func(fields, options int) float64 {
		var all []Field
		for i := range fields {
			all = append(all, Field{Name: fmt.Sprintf("f%d", i), Type: "string", Help: "one of many fields", Kind: Text})
		}
		several := make([]string, options)
		for i := range several {
			several[i] = fmt.Sprintf("option %d", i)
		}
		all = append(all, Field{Name: "choice", Kind: Choice, Options: several}, Field{Name: "choices", Kind: Choices, Options: several})
		f := New(all)
		f.Focus("choices")
		return testing.AllocsPerRun(10, func() {
			do(f, "right", "space")
			f.Height(palette, 120)
			f.Rows(palette, 120, 30, true)
		})
	}
	if few, many := allocs(5, 20), allocs(1000, 50000); many > 2*few+50 {
		t.Errorf("%v allocations for a small form, and %v for a large one", few, many)
	}
}

func TestChoices_ShowAWindowOfTheOptions(t *testing.T) {
	options := make([]string, 1000)
	for i := range options {
		options[i] = fmt.Sprintf("option %03d", i)
	}
	f := New([]Field{{Name: "set", Kind: Choices, Options: options}})
	got := text(t, f, 80, 12)
	if !strings.Contains(got, "option 000") || !strings.Contains(got, "option 1 of 1") {
		t.Errorf("at the start:\n%s", got)
	}
	do(f, "left", "space")
	got = text(t, f, 80, 12)
	if !strings.Contains(got, "[x] option 999") || strings.Contains(got, "option 000") {
		t.Errorf("at the end:\n%s", got)
	}
	for y, row := range strings.Split(got, "\n") {
		if at := strings.Index(row, "[ ] option 998"); at >= 0 {
			f.Click(ansi.StringWidth(row[:at])+1, y)
		}
	}
	if got := f.Values()["set"]; got != "option 998, option 999" {
		t.Errorf("the value is %q", got)
	}
}

func TestRows_OptionalFieldIsNotSent(t *testing.T) {
	for _, w := range []int{50, 100} {
		f := New([]Field{{Name: "city", Required: true}, {Name: "limit", Type: "integer", Facts: "default 20"}, {Name: "deep", Kind: Toggle}, {Name: "unit", Kind: Choice, Options: []string{"celsius", "kelvin"}}})
		got := text(t, f, w, 8)
		if strings.Count(got, "not sent") != 3 || !strings.Contains(got, "default 20") {
			t.Errorf("%d cells:\n%s", w, got)
		}
		do(f, "tab", "5", "tab", "tab", "right")
		if got := text(t, f, w, 9); strings.Count(got, "not sent") != 1 || !strings.Contains(got, "celsius") {
			t.Errorf("%d cells:\n%s", w, got)
		}
	}
}

func TestRows_NarrowInputHasTheFullWidth(t *testing.T) {
	f := New([]Field{{Name: "a_rather_long_field_name_here", Type: "string", Required: true}})
	do(f, strings.Split("0123456789012345678901234567890123456789", "")...)
	rows := strings.Split(text(t, f, 50, 3), "\n")
	if !strings.HasPrefix(rows[0], "▌a_rather_long_field_name_here*") || !strings.HasSuffix(rows[0], "string") || strings.TrimSpace(rows[1]) != "0123456789012345678901234567890123456789" {
		t.Errorf("got %q", rows)
	}
	if x, y, ok := f.Cursor(); !ok || x != 41 || y != 1 {
		t.Errorf("the cursor is at %d, %d, %v", x, y, ok)
	}
	f.Click(3, 1)
	if x, _, _ := f.Cursor(); x != 41 {
		t.Errorf("before the next paint: %d", x)
	}
	text(t, f, 50, 3)
	if x, _, _ := f.Cursor(); x != 3 {
		t.Errorf("a click moves the cursor to %d", x)
	}
	if row := f.Rows(palette, 50, 3, true)[1]; !strings.Contains(row, "4m") && !strings.Contains(row, ";4") {
		t.Errorf("the input is not underlined: %q", row)
	}
}

func TestPaste_OnlyOptionsAreChosen(t *testing.T) {
	f := New([]Field{
		{Name: "a", Kind: Choice, Options: []string{"red", "green"}, Value: "green"},
		{Name: "b", Kind: Choices, Options: []string{"x", "y"}, Value: "x, y"},
		{Name: "c", Kind: Toggle, Value: "true"},
	})
	for _, c := range []struct{ name, was, pasted, becomes string }{
		{"a", "green", "red", "red"}, {"b", "x, y", "y", "y"}, {"c", "true", "false", "false"},
	} {
		f.Focus(c.name)
		if f.Paste("something else") || f.Value(c.name) != c.was {
			t.Errorf("%s is %q after text was pasted that is not an option", c.name, f.Value(c.name))
		}
		if got := strings.Join(f.Rows(palette, 80, 20, true), "\n"); !strings.Contains(got, "The pasted text is not an option.") {
			t.Errorf("nothing is said of the pasted text:\n%s", got)
		}
		if !f.Paste(" "+c.pasted+"\n") || f.Value(c.name) != c.becomes {
			t.Errorf("%s is %q after %q was pasted", c.name, f.Value(c.name), c.pasted)
		}
	}
}

func TestHelp_FactsAfterASentence(t *testing.T) {
	for _, c := range []struct{ help, facts, want string }{
		{"Choose the department.", "not empty", "Choose the department. Not empty."},
		{"How many", "1 to 1,000", "How many, 1 to 1,000"},
		{"How many.", "", "How many."},
		{"", "not empty", "not empty"},
	} {
		f := New([]Field{{Name: "a", Help: c.help, Facts: c.facts}})
		if got := strings.Join(f.Rows(palette, 110, 5, true), "\n"); !strings.Contains(got, c.want) || strings.Contains(got, ".,") {
			t.Errorf("%q and %q became\n%s", c.help, c.facts, got)
		}
	}
}

// Where a long name leaves little room beside the inputs, the help goes under them.
func TestRows_HelpWithoutRoomBeside(t *testing.T) {
	f := New([]Field{{Name: "line", Type: "string", Help: "Favorite first line of a novel"}, {Name: "a_name_that_is_quite_long", Type: "string"}})
	under := 0
	for w := narrowBelow; w < 120; w++ {
		l := f.columns(w)
		if left := l.w - l.left(&f.fields[0]) - 1; !l.narrow && left < minHelp-2 {
			t.Errorf("%d cells: %d are left for the help", w, left)
		}
		if l.narrow {
			under++
		}
	}
	if under == 0 || under == 120-narrowBelow {
		t.Errorf("%d of %d widths have the help under the inputs", under, 120-narrowBelow)
	}
}
