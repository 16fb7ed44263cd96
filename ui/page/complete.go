package page

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/filter"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// A completion holds the candidates for the part of the filter at the cursor.
type completion struct {
	from, to int // range of the part in the filter, in bytes
	list     []filter.Candidate
	tries    []filter.Filter // filters in which a candidate replaces the part
	left     []int           // number of frames that pass each of tries, as counted so far
	at       int             // index of the selected candidate
	scan     Scan
	values   map[string][]string // known values of properties
}

// maxShownCandidates is the number of visible candidates.
const maxShownCandidates = 8

// complete finds the candidates for the part at the cursor. There are none while the user browses
// earlier filters.
func (f *Filter) complete() {
	c := &f.completion
	if c.values == nil {
		c.values = map[string][]string{}
	}
	text := f.Value()
	c.to, c.list = f.Offset(), nil
	if f.recalled == 0 {
		c.from, c.list = f.Language.Complete(text, c.to, f.valuesOf)
	}
	c.tries, c.left, c.at = c.tries[:0], make([]int, len(c.list)), 0
	c.scan.From(0)
	for _, one := range c.list {
		try, _ := f.Language.Parse(text[:c.from] + one.Example + text[c.to:])
		c.tries = append(c.tries, try)
	}
}

// valuesOf returns the values of a property, and caches them.
func (f *Filter) valuesOf(property string) []string {
	list, ok := f.completion.values[property]
	if !ok && f.Values != nil {
		list = f.Values(property)
		f.completion.values[property] = list
	}
	return list
}

// completes reports whether candidates are visible.
func (f *Filter) completes() bool { return f.Typing() && len(f.completion.list) > 0 }

// Choose implements [app.Completer]. The key that inserts a candidate never ends the typing, so
// more text can follow. In an empty field, up recalls an earlier filter.
func (f *Filter) Choose(k tea.KeyPressMsg) (taken bool) {
	defer func() {
		if taken {
			f.Deselect()
		}
	}()
	c := &f.completion
	switch key := k.Key(); {
	case key.Code == tea.KeyTab && key.Mod == 0, key.Code == tea.KeySpace && key.Mod == tea.ModCtrl:
		if f.completes() {
			text, part := f.Value(), c.list[c.at].Part
			if part[len(part)-1] != ':' {
				part += " "
			}
			f.SetValue(text[:c.from] + part + text[c.to:])
			f.apply()
			f.complete()
		}
	case key.Code == tea.KeyUp:
		if c.at == 0 && f.recall(1) {
			return true
		}
		c.at = max(c.at-1, 0)
		return f.completes() || f.recalled > 0
	case key.Code == tea.KeyDown:
		if f.recalled > 0 && f.recall(-1) {
			return true
		}
		c.at = max(min(c.at+1, len(c.list)-1), 0)
		return f.completes()
	default:
		return false
	}
	return true
}

// Count counts the items that would pass the filter with each candidate, within a time budget. It
// returns true if there are more items. end is the number of items. look is called with the first
// uncounted item and a bound. It must call tally for at least one item, starting with the first and
// before the bound. It returns the first item that it did not tally.
func (f *Filter) Count(end int, look func(from, to int, tally func(passes func(*filter.Filter) bool)) int) (behind bool) {
	c := &f.completion
	if !f.completes() {
		return false
	}
	return c.scan.Advance(end, func(from, to int) int {
		return look(from, to, func(passes func(*filter.Filter) bool) {
			for n := range c.tries {
				if passes(&c.tries[n]) {
					c.left[n]++
				}
			}
		})
	})
}

// columns of the candidates, in cells
const (
	minCandidate = 10
	maxCandidate = 32
)

// Candidates paints the candidates for the part at the cursor. They cover the list in the box on a
// canvas.
func (f *Filter) Candidates(on *app.Canvas) {
	c := &f.completion
	y := 1 + f.Rows(on.H)
	rows := min(len(c.list), maxShownCandidates, on.H-y-4)
	if !f.completes() || rows <= 0 {
		return
	}
	const w = 76
	box := on.Above(f.Column(c.from), y, min(w, on.W-2), rows+3)
	note := []paint.Span{{Style: on.Pal.Muted, Text: strconv.Itoa(c.at+1) + " of " + strconv.Itoa(len(c.list))}}
	in := box.Box([]paint.Span{{Style: on.Pal.TextBold, Text: "Filter"}}, note, true)
	top := max(0, c.at-rows+1)
	name := minCandidate
	for i := top; i < top+rows; i++ {
		name = min(max(name, display.Width(c.list[i].Part)+1), maxCandidate)
	}
	for i := top; i < top+rows; i++ {
		one := &c.list[i]
		in.Line(func(r *paint.Row) {
			st, mark := on.Pal.Text, " "
			if i == c.at {
				st, mark = on.Pal.Strong, on.Pal.Bar
			}
			r.Put(on.Pal.Accent, mark)
			if c.scan.Next > 0 { // something was counted
				r.Right(paint.Span{Style: on.Pal.Muted, Text: phrase.Digits(c.left[i]) + " "})
			}
			if one.About == "" {
				r.Put(st, one.Part)
				return
			}
			r.Cell(st, one.Part, name-1)
			r.Gap(1)
			if one.Example == one.Part { // a name
				r.Put(on.Pal.Muted, one.About)
				return
			}
			r.Cell(on.Pal.Muted, one.About, max(in.W-r.Used()-23, 0))
			r.Gap(1)
			r.Put(on.Pal.Value, one.Example)
		})
	}
	in.Click(0, 0, in.W, rows, func(_, y int) { c.at = min(top+y, len(c.list)-1) })
	in.Line(func(r *paint.Row) {
		r.Put(on.Pal.AccentBold, " tab")
		r.Put(on.Pal.Muted, " insert   ")
		r.Put(on.Pal.AccentBold, phrase.Signs("↑/↓"))
		r.Put(on.Pal.Muted, " select")
		if f.Empty() && len(f.earlier) > 0 {
			r.Put(on.Pal.Muted, "   ")
			r.Put(on.Pal.AccentBold, phrase.Signs("↑"))
			r.Put(on.Pal.Muted, " earlier filter")
		}
		r.Right(paint.Span{Style: on.Pal.Muted, Text: f.Language.Items + " left "})
	})
}
