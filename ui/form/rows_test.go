package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/schema"
	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

// sample is a form with a row of each kind.
func sample(t testing.TB) *Form {
	return fields(t, `
		"duration": {"type": "number", "description": "seconds", "default": 10},
		"steps": {"type": "integer", "description": "how many steps there are in the operation, each of which takes as long as the others", "minimum": 5},
		"message": {"type": "string", "description": "what to echo"},
		"verbose": {"type": "boolean", "description": "say more"},
		"level": {"enum": ["low", "medium", "high"], "default": "high"},
		"tags": {"type": "array", "items": {"enum": ["red", "green", "blue", "ultraviolet", "日本"]}, "default": ["red", "blue"], "description": "some of them"},
		"evil\u001b[2J\u202e": {"type": "str\ning", "description": "\u001b]0;x\u0007"},
		"filter": {"type": "blob", "description": "which ones"}`, "steps", "filter")
}

const evil = "evil\x1b[2J\u202e"

// fields is a form of properties, with their defaults filled in.
func fields(t testing.TB, properties string, required ...string) *Form {
	t.Helper()
	names := make([]string, len(required))
	for i, name := range required {
		names[i] = strconv.Quote(name)
	}
	f := &Form{Prefill: true}
	f.Take(schema.Parse([]byte(`{"properties":{` + properties + `},"required":[` + strings.Join(names, ",") + `]}`)))
	return f
}

func do(f *Form, keys ...string) {
	for _, k := range keys {
		f.Key(press.Key(k))
	}
}

func screenOf(t *testing.T, f *Form, w, h int) string {
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
	f := sample(t)
	f.say(f.Tree.Node("steps"), "expected an integer, found nothing", "")
	golden.RequireEqual(t, screenOf(t, f, 150, 20)+"--\n"+screenOf(t, f, 103, 20))
}

func TestRowsNarrow(t *testing.T) {
	f := sample(t)
	f.say(f.Tree.Node("steps"), "expected an integer, found nothing", "")
	out := screenOf(t, f, 50, 28) + "--\n"
	focus(f, "filter")
	golden.RequireEqual(t, out+screenOf(t, f, 30, 8))
}

func TestFillIn(t *testing.T) {
	f := sample(t)
	do(f, "end", "backspace", "5", "tab", "3", "down", "h", "i", "space", "tab", "space", "tab", "left", "tab", "right", "space", "tab", "tab", "{", "enter", "}", "up", "up")
	for name, want := range map[string]string{"duration": "15", "steps": "3", "message": "hi ", "verbose": "true", "level": "medium", "tags": "red, green, blue", "filter": "{\n}"} {
		if got := textOf(f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if f.Node().ID != evil {
		t.Errorf("two up from the end of two lines: focus on %q", f.Node().ID)
	}
}

func TestForm_TypingReplacesDefault(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"3 . 5", "3.5"},
		{"tab shift+tab 7", "7"}, // going by touches nothing
		{"left 5", "150"},
		{"end 5", "105"},
		{"backspace 5", "5"}, // it is selected, as all of a text that typing replaces
		{"4 backspace", ""},
	} {
		f := sample(t)
		do(f, strings.Fields(tc.keys)...)
		if got := textOf(f, "duration"); got != tc.want {
			t.Errorf("%s gives %q, want %q", tc.keys, got, tc.want)
		}
	}
	f := sample(t)
	f.Set(f.Tree.Node("duration"), "4")
	if do(f, "2"); textOf(f, "duration") != "42" {
		t.Errorf("a value that was put there was replaced: %q", textOf(f, "duration"))
	}
}

// What is below a long text stays where it is while the first lines are typed.
func TestRows_StayWhileTextIsTyped(t *testing.T) {
	f := fields(t, `"filter": {"type": "blob"}, "below": {"type": "string"}`)
	focus(f, "below")
	before := screenOf(t, f, 100, 12)
	focus(f, "filter")
	if got := screenOf(t, f, 100, 12); strings.ReplaceAll(got, "▌", " ") != strings.ReplaceAll(before, "▌", " ") {
		t.Errorf("the focus changes\n%sto\n%s", before, got)
	}
	do(f, "{", "enter", "}")
	if got := screenOf(t, f, 100, 12); !strings.HasPrefix(strings.Split(got, "\n")[5], " below") {
		t.Errorf("after two lines:\n%s", got)
	}
}

// Fields have air between them where there are rows for it, and help only where it is looked
// for when there are few.
func TestRows_AirBetweenFields(t *testing.T) {
	f := fields(t, `"a": {"type": "string", "description": "about a"}, "b": {"type": "string", "description": "about b"}, "c": {"type": "object", "properties": {"d": {"type": "string", "description": "about d"}}, "default": {}}`)
	lines := func(w, h int) []string { return strings.Split(strings.TrimRight(screenOf(t, f, w, h), "\n "), "\n") }
	for _, tc := range []struct {
		w, h int
		want string // the rows: a letter for the field or its help, none for an empty one
	}{
		{100, 9, "a  b  c"},
		{100, 4, "a b c"},
		{44, 12, "a a  b b  c"},
		{44, 6, "a a  b  c"},
		{44, 4, "a a b c"},
	} {
		var got []string
		for _, line := range lines(tc.w, tc.h) {
			word := ""
			for _, w := range strings.Fields(line) {
				if w = strings.Trim(w, "▌*"); w == "a" || w == "b" || w == "c" {
					word = w
				}
			}
			got = append(got, word)
		}
		if all := strings.Join(got, " "); all != tc.want {
			t.Errorf("%dx%d: %q, want %q:\n%s", tc.w, tc.h, all, tc.want, strings.Join(lines(tc.w, tc.h), "\n"))
		}
	}
}

func TestFactsAreCutLast(t *testing.T) {
	about := strconv.Quote(strings.Repeat("many words about it ", 20))
	f := fields(t, `"b": {"type": "number", "default": 1, "minimum": -1000000, "maximum": 1000000, "description": `+about+`},
		"l": {"type": "blob", "minLength": 3, "description": `+about+`},
		"s": {"type": "string", "default": "something", "description": `+about+`}`)
	for w := 40; w < 140; w += 5 {
		got := strings.Join(strings.Fields(screenOf(t, f, w, 24)), " ")
		for _, want := range []string{"default 1,", "1,000,000", "3 characters", "default something"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d cells: %q is not in %s", w, want, got)
			}
		}
	}
}

func TestKeysAtTheEnds(t *testing.T) {
	f := sample(t)
	first := f.Node()
	if f.Key(press.Key("up")) || f.Key(press.Key("enter")) {
		t.Error("a key meant something at the first field")
	}
	if !f.Key(press.Key("shift+tab")) || f.Node() == first || !f.Key(press.Key("tab")) || f.Node() != first {
		t.Error("tab does not go round")
	}
	focus(f, "filter")
	if !f.Key(press.Key("enter")) {
		t.Error("enter in the last field")
	}
	if empty := fields(t, ""); empty.Key(press.Key("tab")) || empty.Node() != nil {
		t.Error("an empty form took a key")
	}
	screenOf(t, fields(t, ""), 20, 2)
}

func TestToggleAndChoice(t *testing.T) {
	f := sample(t)
	focus(f, "verbose")
	for _, tc := range []struct{ key, want string }{{"space", "true"}, {"space", "false"}, {"space", "true"}, {"backspace", ""}, {"f", "false"}} {
		do(f, tc.key)
		if got := textOf(f, "verbose"); got != tc.want {
			t.Errorf("after %s: %q", tc.key, got)
		}
	}
	focus(f, "level")
	for _, tc := range []struct{ key, want string }{{"right", "low"}, {"m", "medium"}, {"x", "medium"}, {"end", "high"}, {"delete", ""}, {"left", "high"}} {
		do(f, tc.key)
		if got := textOf(f, "level"); got != tc.want {
			t.Errorf("after %s: %q, want %q", tc.key, got, tc.want)
		}
	}
	if f.Set(f.Tree.Node("level"), "none") || f.Set(f.Tree.Node("absent"), "") || !f.Set(f.Tree.Node("level"), "low") {
		t.Error("set")
	}
}

func TestPasteAndProblem(t *testing.T) {
	f := sample(t)
	f.say(f.Tree.Node("duration"), "wrong", "")
	before := f.Version()
	f.Paste("7\x1b[31m\n")
	if got := textOf(f, "duration"); got != "7[31m\n" || f.Version() == before {
		t.Errorf("got %q", got)
	}
	if strings.Contains(screenOf(t, f, 100, 8), "wrong") {
		t.Error("the problem stays after an edit")
	}
}

func TestCursorIsInTheInput(t *testing.T) {
	f := sample(t)
	for _, w := range []int{40, 50, 100, 150} {
		for range f.Len() {
			rows := f.Rows(palette, w, 6, true)
			x, y, ok := f.Cursor()
			if typed := f.focused().isTyped(); ok != typed {
				t.Errorf("%s: cursor %v", f.Node().ID, ok)
			}
			if ok && (x < 0 || x >= w || y < 0 || y >= len(rows)) {
				t.Errorf("%s at %d: cursor at %d,%d", f.Node().ID, w, x, y)
			}
			f.step(1)
		}
		focus(f, "duration")
	}
}

func TestClick(t *testing.T) {
	f := sample(t)
	rows := strings.Split(screenOf(t, f, 100, 20), "\n")
	for y, row := range rows {
		if at := strings.Index(row, "[ ] green"); at >= 0 {
			f.Click(ansi.StringWidth(row[:at])+1, y)
		}
		if at := strings.Index(row, "not sent"); at >= 0 && strings.Contains(row, "verbose") {
			f.Click(ansi.StringWidth(row[:at]), y)
		}
	}
	if got := texts(f); got["tags"] != "red, green, blue" || got["verbose"] != "true" {
		t.Errorf("got %v", got)
	}
}

func TestManyFieldsScroll(t *testing.T) {
	var all []string
	for i := range 200 {
		all = append(all, fmt.Sprintf(`"field%03d": {"type": "string"}`, i))
	}
	f := fields(t, strings.Join(all, ","))
	focus(f, "field150")
	got := screenOf(t, f, 100, 10)
	if !strings.Contains(got, "▌field150") {
		t.Errorf("got\n%s", got)
	}
	if rows := strings.Split(got, "\n"); !strings.HasSuffix(rows[0], palette.Up) || !strings.HasSuffix(rows[9], palette.Down) {
		t.Errorf("rows above and below are not marked:\n%s", got)
	}
}

// Painting a form after a key must not paint the fields that stay the same.
func TestRows_AllocateByTheChange(t *testing.T) {
	allocs := func(rows, options int) float64 {
		var all []string
		for i := range rows {
			all = append(all, fmt.Sprintf(`"f%d": {"type": "string", "description": "one of many fields"}`, i))
		}
		several := make([]string, options)
		for i := range several {
			several[i] = fmt.Sprintf(`"option %d"`, i)
		}
		enum := `{"enum": [` + strings.Join(several, ",") + `]}`
		f := fields(t, strings.Join(all, ",")+`, "choice": `+enum+`, "choices": {"type": "array", "items": `+enum+`}`)
		focus(f, "choices")
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
		options[i] = fmt.Sprintf(`"option %03d"`, i)
	}
	f := fields(t, `"set": {"type": "array", "items": {"enum": [`+strings.Join(options, ",")+`]}}`)
	got := screenOf(t, f, 80, 12)
	if !strings.Contains(got, "option 000") || !strings.Contains(got, "option 1 of 1") {
		t.Errorf("at the start:\n%s", got)
	}
	do(f, "left", "space")
	got = screenOf(t, f, 80, 12)
	if !strings.Contains(got, "[x] option 999") || strings.Contains(got, "option 000") {
		t.Errorf("at the end:\n%s", got)
	}
	for y, row := range strings.Split(got, "\n") {
		if at := strings.Index(row, "[ ] option 998"); at >= 0 {
			f.Click(ansi.StringWidth(row[:at])+1, y)
		}
	}
	if got := textOf(f, "set"); got != "option 998, option 999" {
		t.Errorf("the value is %q", got)
	}
}

func TestRows_OptionalFieldIsNotSent(t *testing.T) {
	for _, w := range []int{50, 100} {
		f := &Form{}
		f.Take(schema.Parse([]byte(`{"properties": {"city": {"type": "string"}, "limit": {"type": "integer", "default": 20}, "deep": {"type": "boolean"}, "unit": {"enum": ["celsius", "kelvin"]}}, "required": ["city"]}`)))
		got := screenOf(t, f, w, 8)
		if strings.Count(got, "not sent") != 3 || !strings.Contains(got, "default 20") {
			t.Errorf("%d cells:\n%s", w, got)
		}
		do(f, "tab", "5", "tab", "tab", "right")
		if got := screenOf(t, f, w, 9); strings.Count(got, "not sent") != 1 || !strings.Contains(got, "celsius") {
			t.Errorf("%d cells:\n%s", w, got)
		}
	}
}

func TestRows_NarrowInputHasTheFullWidth(t *testing.T) {
	f := fields(t, `"a_rather_long_field_name_here": {"type": "string"}`, "a_rather_long_field_name_here")
	do(f, strings.Split("0123456789012345678901234567890123456789", "")...)
	rows := strings.Split(screenOf(t, f, 50, 3), "\n")
	if !strings.HasPrefix(rows[0], "▌a_rather_long_field_name_here*") || !strings.HasSuffix(rows[0], "string") || strings.TrimSpace(rows[1]) != "0123456789012345678901234567890123456789" {
		t.Errorf("got %q", rows)
	}
	if x, y, ok := f.Cursor(); !ok || x != 41 || y != 1 {
		t.Errorf("the cursor is at %d, %d, %v", x, y, ok)
	}
	f.Click(3, 1)
	screenOf(t, f, 50, 3)
	if x, _, _ := f.Cursor(); x != 3 {
		t.Errorf("a click moves the cursor to %d", x)
	}
	if row := f.Rows(palette, 50, 3, true)[1]; !strings.Contains(row, "4m") && !strings.Contains(row, ";4") {
		t.Errorf("the input is not underlined: %q", row)
	}
}

// In a narrow form an object has its sign and the number of its fields beside its name, if they fit there.
func TestRows_NarrowObjectTakesOneRow(t *testing.T) {
	f := fields(t, `"user": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
		"a_rather_long_field_name_here": {"type": "string"}`, "user")
	focus(f, "user")
	for w, beside := range map[int]bool{50: true, 28: false} {
		rows := strings.Split(screenOf(t, f, w, 10), "\n")
		if strings.Contains(rows[0], "1 field") != beside || strings.Contains(rows[1], "1 field") == beside {
			t.Errorf("in %d cells:\n%s", w, strings.Join(rows, "\n"))
		}
	}
}

func TestPaste_OnlyOptionsAreChosen(t *testing.T) {
	f := fields(t, `"a": {"enum": ["red", "green"], "default": "green"},
		"b": {"type": "array", "items": {"enum": ["x", "y"]}, "default": ["x", "y"]},
		"c": {"type": "boolean", "default": true}`)
	for _, c := range []struct{ name, was, pasted, becomes string }{
		{"a", "green", "red", "red"}, {"b", "x, y", "y", "y"}, {"c", "true", "false", "false"},
	} {
		focus(f, c.name)
		if f.Paste("something else"); textOf(f, c.name) != c.was {
			t.Errorf("%s is %q after text was pasted that is not an option", c.name, textOf(f, c.name))
		}
		if got := strings.Join(f.Rows(palette, 80, 20, true), "\n"); !strings.Contains(got, "The pasted text is not one of the options.") {
			t.Errorf("nothing is said of the pasted text:\n%s", got)
		}
		if f.Paste(" " + c.pasted + "\n"); textOf(f, c.name) != c.becomes {
			t.Errorf("%s is %q after %q was pasted", c.name, textOf(f, c.name), c.pasted)
		}
	}
}

func TestHelp_FactsAfterASentence(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`"type": "string", "description": "Choose the department.", "minLength": 1`, "Choose the department. Not empty."},
		{`"type": "integer", "description": "How many", "minimum": 1, "maximum": 1000`, "How many, 1 to 1,000"},
		{`"type": "integer", "description": "How many."`, "How many."},
		{`"type": "string", "minLength": 1`, "not empty"},
	} {
		f := fields(t, `"a": {`+c.schema+`}`)
		if got := strings.Join(f.Rows(palette, 110, 5, true), "\n"); !strings.Contains(got, c.want) || strings.Contains(got, ".,") {
			t.Errorf("%s became\n%s", c.schema, got)
		}
	}
}

// Where a long name leaves little room beside the inputs, the help goes under them.
func TestRows_HelpWithoutRoomBeside(t *testing.T) {
	f := fields(t, `"line": {"type": "string", "description": "Favorite first line of a novel"}, "a_name_that_is_quite_long": {"type": "string"}`)
	under := 0
	for w := narrowBelow; w < 120; w++ {
		f.layOut(w)
		l := f.view.layout
		if left := l.w - l.left(f.rows[0]) - 1; !l.narrow && left < minHelp-2 {
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

// Without the focus a text that does not fit shows its start, with a mark.
func TestRows_LongTextShowsItsStart(t *testing.T) {
	f := fields(t, `"line": {"type": "string", "default": "It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.", "description": "Favorite first line of a novel"}, "other": {"type": "string"}`)
	focus(f, "other")
	got := strings.Split(screenOf(t, f, 80, 4), "\n")[0]
	if !strings.Contains(got, "It was a") || !strings.Contains(got, "…") || strings.Contains(got, "intervals") {
		t.Errorf("without the focus: %s", got)
	}
	at := strings.Index(got, "was")
	f.Click(at, 0)
	do(f, "X")
	if got := textOf(f, "line"); !strings.HasPrefix(got, "It Xwas a dark") {
		t.Errorf("typed where the click was: %q", got)
	}
}

// The help of an object is whole if there is no room beside it, like the help of the other fields.
func TestRows_HelpOfAHeadingIsWhole(t *testing.T) {
	f := fields(t, `"tags": {"type": "array", "items": {"type": "string"}, "description": "All of these tags, any order"}, "q": {"type": "string"}`)
	for _, at := range []string{"q", "tags"} {
		focus(f, at)
		if got := screenOf(t, f, 52, 12); !strings.Contains(got, "All of these tags, any order") {
			t.Errorf("with the focus on %s:\n%s", at, got)
		}
	}
	focus(f, "q")
	if got := strings.Split(screenOf(t, f, 52, 3), "\n"); !strings.Contains(got[2], "q ") {
		t.Errorf("without rows for it:\n%s", strings.Join(got, "\n"))
	}
}

// In a narrow form types and states are below each other, and a missing value takes no row of its own.
func TestRows_NarrowColumns(t *testing.T) {
	f := fields(t, `"a": {"type": "string"}, "a_longer_name": {"type": "integer"}, "b": {"type": "string"}`, "a_longer_name")
	focus(f, "a")
	rows := strings.Split(screenOf(t, f, 47, 5), "\n")
	want := []string{
		" a_longer_name*  integer             required",
		" b               string              not sent",
	}
	for _, row := range want {
		if !slices.ContainsFunc(rows, func(r string) bool { return strings.TrimRight(r, " ") == row }) {
			t.Errorf("%q is not among\n%s", row, strings.Join(rows, "\n"))
		}
	}
}
