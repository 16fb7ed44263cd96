package frames

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/filter"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/session/timeline"
	"mcptea/ui/app"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// Filter chooses the frames that the views of the traffic show: they share it.
type Filter struct {
	line    textfield.Filter
	words   string // those in force
	in      filter.Filter
	err     error // why the typed words are not a filter
	version int   // of what is in force
	behind  bool  // a view has more to look at

	completion completion
}

// On reports whether the filter leaves frames out.
func (f *Filter) On() bool { return !f.in.Empty() }

// Words are those in force.
func (f *Filter) Words() string { return f.words }

// Behind reports whether a view that was refreshed since the last call has more to look at.
func (f *Filter) Behind() bool {
	behind := f.behind
	f.behind = false
	return behind
}

// Start has the keys go to the words.
func (f *Filter) Start() {
	f.line.Open()
	f.completion.values = nil
	f.complete()
}

// Set replaces the words.
func (f *Filter) Set(words string) {
	f.line.SetValue(words)
	f.apply()
}

// Drop drops the words. It reports whether there were any.
func (f *Filter) Drop() bool {
	had := f.line.Clear()
	f.apply()
	return had
}

// apply puts the typed words in force, unless they are wrong: then the last ones that made
// sense stay.
func (f *Filter) apply() {
	words := f.line.Value()
	if words == f.words && f.err == nil {
		return
	}
	in, err := filter.Parse(words)
	if f.err = err; err == nil && words != f.words {
		f.in, f.words = in, words
		f.version++
	}
}

// Key implements [app.Line].
func (f *Filter) Key(k tea.KeyPressMsg) bool {
	if f.Choose(k) {
		return true
	}
	before, at := f.line.Version(), f.line.Offset()
	taken := f.line.Key(k)
	if f.apply(); f.line.Version() != before || f.line.Offset() != at {
		f.complete()
	}
	return taken
}

// Paste implements [app.Line].
func (f *Filter) Paste(text string) {
	f.line.Paste(text)
	f.apply()
	f.complete()
}

// End implements [app.Line].
func (f *Filter) End(keep bool) {
	if !keep {
		f.Drop()
	}
	f.line.Close()
}

// Title is what the upper border says of the filter while it is not typed.
func (f *Filter) Title(pal *paint.Palette) []paint.Span {
	if f.words == "" || f.open() {
		return nil
	}
	return []paint.Span{{Style: pal.Accent, Text: "  / "}, {Style: pal.Text, Text: paint.Sanitize(f.words)}}
}

// open reports whether the words are painted over the list.
func (f *Filter) open() bool { return f.line.Typing() || f.err != nil }

// Paint writes the words over the list while they are typed, or wrong.
func (f *Filter) Paint(c *app.Canvas) {
	if !f.open() {
		return
	}
	y := c.Next()
	c.Click(0, y, c.W, 1, func(int, int) { f.Start() })
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		st := c.Pal.Text
		if f.err != nil {
			st = c.Pal.Error
		}
		f.line.Put(r, c.Pal, st, max(r.Left()-3, 1))
	})
	x, typing := f.line.CursorX()
	if typing {
		c.Field(f, x, y)
	}
	switch list := filter.Errors(f.err); {
	case len(list) > 0:
		c.Line(func(r *paint.Row) {
			r.To(f.line.Column(list[0].At))
			r.Put(c.Pal.Error, strings.Repeat("^", max(1, min(f.line.Column(list[0].End)-f.line.Column(list[0].At), r.Left()))))
			if r.Left() > 30+len(f.words) {
				r.Right(paint.Span{Style: c.Pal.Muted, Text: "the list shows: " + paint.Sanitize(cmp.Or(f.words, "all")) + " "})
			}
		})
		c.Line(func(r *paint.Row) {
			r.Gap(3)
			r.Put(c.Pal.Error, f.err.Error())
		})
	case typing && c.H >= 8:
		c.Line(func(r *paint.Row) {
			r.Gap(3)
			r.Put(c.Pal.Muted, `words  "two words"  -not  or  ( )   property:value   :>100ms   :a,b   :name*`)
		})
	}
}

// Scan finds what of a view passes the filter.
type Scan struct {
	page.Scan
	*Filter
	source  Source
	store   *store.Store
	scanner *store.Scanner
	version int    // of the filter
	gen     uint64 // of the store
	open    int    // the first item that may pass later; -1 without one
	look    func() // looks at the items of the last time
}

// NewScan returns the scan of a view.
func (p *Program) NewScan() Scan {
	s := Scan{Filter: p.Filter, source: p.Source, store: p.Store(), open: -1}
	s.scanner = s.store.NewScanner()
	return s
}

// On reports whether the filter leaves items out.
func (s *Scan) On() bool {
	if s.version != s.Filter.version && s.look != nil {
		s.look()
	}
	return s.Filter.On()
}

// again looks again at all if the filter is another one, and at what may pass by now.
func (s *Scan) again(gen uint64) {
	switch {
	case s.version != s.Filter.version:
		s.version, s.open = s.Filter.version, -1
		s.From(0)
	case s.open >= 0 && gen != s.gen && s.in.Changes():
		s.From(s.open)
		s.open = -1
	}
	if gen != s.gen && s.in.Linted() {
		s.From(max(s.Next-lintLag, 0))
	}
	s.gen = gen
}

// lintLag is how many items are looked at again because the rules may have found something
// in them since.
const lintLag = 512

// ruleOf looks up what the rules have found in a frame.
func (s *Scan) ruleOf(f *filter.Frame) func(match func(id string) bool) bool {
	return func(match func(id string) bool) bool {
		return slices.ContainsFunc(s.source.FindingsAt(f.Index), func(x lint.Finding) bool { return match(x.Rule.ID) })
	}
}

// Rows looks at further rows of the store, and reports whether there are more.
func (s *Scan) Rows(end int, gen uint64) (behind bool) {
	s.look = func() { s.Rows(end, gen) }
	s.Filter.behind = s.count(end) || s.Filter.behind
	if s.again(gen); !s.Filter.On() {
		return false
	}
	var f filter.Frame // one for all: the closures are made once
	f.OfRow(s.store, s.scanner)
	f.Rule = s.ruleOf(&f)
	visit := func(i int32, r *store.Row) bool {
		f.Row, f.Index, f.Method = r, i, s.store.Method(r.Method)
		if r.Flags&store.Pending != 0 && s.open < 0 {
			s.open = int(i)
		}
		if s.in.Match(&f) {
			s.Passed = append(s.Passed, i)
		}
		return true
	}
	return s.advance(end, func(from, to int) int { return int(s.scanner.Rows(int32(from), to-from, visit)) })
}

// Requests looks at further requests: those pass of which the request or the response does.
func (s *Scan) Requests(tl *timeline.Timeline, end int, gen uint64) (behind bool) {
	s.look = func() { s.Requests(tl, end, gen) }
	if s.again(gen); !s.Filter.On() {
		return false
	}
	return s.advance(end, func(from, to int) int {
		for i := from; i < min(to, from+64); i++ {
			q, ok := tl.Request(i)
			if !ok {
				return end
			}
			if q.IsPending && s.open < 0 {
				s.open = i
			}
			if s.passes(q.Row) || s.passes(q.Response) {
				s.Passed = append(s.Passed, int32(i))
			}
		}
		return min(to, from+64)
	})
}

func (s *Scan) advance(end int, look func(from, to int) int) (behind bool) {
	behind = s.Advance(end, look)
	s.Filter.behind = s.Filter.behind || behind
	return behind
}

func (s *Scan) passes(i int32) bool {
	row, ok := s.store.Row(i)
	f := filter.Frame{Row: &row, Index: i, Method: s.store.Method(row.Method)}
	f.OfRow(s.store, s.scanner)
	f.Rule = s.ruleOf(&f)
	return ok && s.in.Match(&f)
}
