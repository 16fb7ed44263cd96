package page

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/record/filter"
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// A Filter is a filter field: the typed words, their errors and completions, and the current
// filter. In the zero Filter, only words are available.
type Filter struct {
	Language filter.Language                // without Items, another function decides which items pass
	Values   func(property string) []string // values of a property without fixed values; may be nil

	textfield.Filter
	words   string // current words
	in      filter.Filter
	marks   []string // words that are marked in the rows
	chosen  bool     // a key has set the words, and the user has not typed them
	err     error    // why the typed words are not a valid filter, or nil
	version int      // generation of the current filter

	completion completion
	earlier    []string // remembered filters, oldest first
	recalled   int      // number of steps back in earlier; 0 for a new filter
}

// maxEarlier bounds the filters that are remembered.
const maxEarlier = 50

// On reports whether the filter leaves items out.
func (f *Filter) On() bool { return f.words != "" }

// Words returns the current words of the filter.
func (f *Filter) Words() string { return f.words }

// Compiled returns the current filter, for a field with a language.
func (f *Filter) Compiled() *filter.Filter { return &f.in }

// Generation returns a number that changes with the current filter.
func (f *Filter) Generation() int { return f.version }

// Marks returns the words to mark in the rows that pass; see [paint.Row.Find].
func (f *Filter) Marks() []string { return f.marks }

// Start moves the focus to the field. Typed text then replaces the words if the user has typed
// them. It extends the words if a key has set them, as [Filter.Cycle] does.
func (f *Filter) Start() {
	f.Open()
	if f.chosen {
		f.SetValue(f.words + " ")
		f.Deselect()
	}
	f.recalled = 0
	f.completion.values = nil
	f.complete()
}

// Set replaces the words.
func (f *Filter) Set(words string) {
	f.SetValue(words)
	f.apply()
}

// Cycle applies [filter.Cycle] to the current words.
func (f *Filter) Cycle(property string, values ...string) {
	f.Set(filter.Cycle(f.words, property, values...))
	f.chosen = f.words != ""
}

// Drop drops the words. It reports whether there were any.
func (f *Filter) Drop() bool {
	had := f.Clear()
	f.apply()
	return had
}

// apply makes the typed words the current filter. If they are not valid, the last valid filter
// stays.
func (f *Filter) apply() {
	words := f.Value()
	if strings.TrimSpace(words) == "" {
		words = ""
	}
	if words == f.words && f.err == nil {
		return
	}
	var in filter.Filter
	var err error
	marks := strings.Fields(words)
	if f.Language.Items != "" {
		in, err = f.Language.Parse(words)
		marks = in.Words()
	}
	if f.err = err; err == nil && words != f.words {
		f.in, f.words, f.marks = in, words, marks
		f.version++
	}
}

// Key implements [app.Line].
func (f *Filter) Key(k tea.KeyPressMsg) bool {
	if f.Choose(k) {
		return true
	}
	before, at := f.Version(), f.Offset()
	taken := f.Filter.Key(k)
	if f.apply(); f.Version() != before || f.Offset() != at {
		f.recalled, f.chosen = 0, false
		f.complete()
	}
	return taken
}

// Paste implements [app.Line].
func (f *Filter) Paste(text string) {
	f.Filter.Paste(text)
	f.apply()
	f.complete()
}

// End implements [app.Line].
func (f *Filter) End(keep bool) {
	if !keep {
		f.Drop()
	}
	if f.Close(); f.words != "" {
		f.earlier = append(slices.DeleteFunc(f.earlier, func(words string) bool { return words == f.words }), f.words)
		f.earlier = f.earlier[max(0, len(f.earlier)-maxEarlier):]
	}
}

// recall puts an earlier filter into the field. It does so only if the field is empty or already
// contains an earlier filter.
func (f *Filter) recall(step int) bool {
	to := f.recalled + step
	if f.recalled == 0 && !f.Empty() || to < 0 || to > len(f.earlier) {
		return false
	}
	words := ""
	if to > 0 {
		words = f.earlier[len(f.earlier)-to]
	}
	f.Set(words)
	f.recalled = to
	f.complete()
	return true
}

// Help implements [app.Helped].
func (f *Filter) Help() card.Card {
	c := card.Card{Key: "Filter", Title: "of " + f.Language.Items, What: []string{"Parts are separated by spaces, and all of them must match. It applies while you type."}}
	c.Facts = []card.Fact{
		{Label: "word", Text: "contains it, or shows it in its row; without capitals, case is ignored"},
		{Label: `"two words"`, Text: "contains the text with its space"},
		{Label: "-part", Text: "does not match the part"},
		{Label: "a or b", Text: "one of them matches; parentheses hold parts together: (a or b) -c"},
		{Label: "name:a,b", Text: "one of the values; * at the end of a name is any rest"},
	}
	if all := f.Language.Names().All(); len(all) > 0 {
		var names []string
		for _, d := range all {
			names = append(names, "@"+d.Name)
		}
		c.Facts = append(c.Facts, card.Fact{Label: "@name", Text: "matches the filter of config.yaml: " + strings.Join(names, ", ")})
	}
	_, list := f.Language.Complete("", 0, nil)
	for _, one := range list {
		c.Facts = append(c.Facts, card.Fact{Label: one.Part, Text: one.About + ": " + one.Takes})
	}
	return c
}

// Title returns the text in the upper border that describes the filter while the field is closed.
func (f *Filter) Title(pal *paint.Palette) []paint.Span {
	if f.words == "" || f.Editing() {
		return nil
	}
	return []paint.Span{{Style: pal.Accent, Text: "  / "}, {Style: pal.Text, Text: display.Sanitize(f.words)}}
}

// Editing reports whether the user is typing, or the words are not valid.
func (f *Filter) Editing() bool { return f.Typing() || f.err != nil }

// Rows returns the number of rows that [Filter.Paint] writes into a box of h rows.
func (f *Filter) Rows(h int) int {
	switch {
	case f.err != nil:
		return 3
	case f.Typing() && h >= minSyntax && f.Language.HasProperties():
		return 2
	}
	return 1
}

// minSyntax is the height of a list that has room for the syntax.
const minSyntax = 8

// syntax lists the forms that words can have in a filter. A row shows them, followed by examples of
// the properties. Only whole ones are shown.
var syntax = []string{"words", `"two words"`, "-not", "or"}

// Paint writes the field over a list, and the error of the words or the syntax below the field.
// field receives the keys: the Filter itself, or a field that wraps it. right is at the right edge
// of the row.
func (f *Filter) Paint(c *app.Canvas, field app.Field, right ...paint.Span) {
	y := c.Next()
	c.Click(0, y, c.W, 1, func(int, int) { f.Start() })
	c.Line(func(r *paint.Row) {
		r.Right(right...)
		r.Gap(1)
		st := paint.If(f.err != nil, c.Pal.Error, c.Pal.Text)
		f.Put(r, c.Pal, st, max(r.Left()-3, 1))
	})
	x, typing := f.CursorX()
	if typing {
		c.Field(field, x, y)
	}
	switch list := filter.Errors(f.err); {
	case len(list) > 0:
		c.Line(func(r *paint.Row) {
			r.To(f.Column(list[0].At))
			r.Put(c.Pal.Error, strings.Repeat("^", max(1, min(f.Column(list[0].End)-f.Column(list[0].At), r.Left()))))
			if r.Left() > 30+len(f.words) {
				r.Right(paint.Span{Style: c.Pal.Muted, Text: "the list shows: " + display.Sanitize(cmp.Or(f.words, "all")) + " "})
			}
		})
		c.Say(3, c.Pal.Error, f.err.Error())
	case f.Rows(c.H) > 1:
		c.Line(func(r *paint.Row) {
			r.Right(paint.Span{Style: c.Pal.AccentBold, Text: c.Names.Name("help")}, paint.Span{Style: c.Pal.Muted, Text: " every word "})
			r.Gap(3)
			for _, form := range slices.Concat(syntax, f.Language.Examples()) {
				if display.Width(form) > r.Left()-2 {
					break
				}
				r.Put(c.Pal.Muted, form)
				r.Gap(2)
			}
		})
	}
}
