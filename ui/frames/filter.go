package frames

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/filter"
	"mcptea/session/store"
	"mcptea/session/timeline"
	"mcptea/ui/app"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// Filter chooses the frames that the views of the traffic show: they share it.
type Filter struct {
	line    input.Filter
	words   string // those in force
	in      filter.Filter
	err     error // why the typed words are not a filter
	version int   // of what is in force
	behind  bool  // a view has more to look at
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
func (f *Filter) Start() { f.line.Open() }

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
	taken := f.line.Key(k)
	f.apply()
	return taken
}

// Paste implements [app.Line].
func (f *Filter) Paste(text string) {
	f.line.Paste(text)
	f.apply()
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
	if x, typing := f.line.CursorX(); typing {
		c.Field(f, x, y)
	}
	if f.err != nil {
		c.Line(func(r *paint.Row) {
			r.Gap(3)
			r.Put(c.Pal.Error, f.err.Error())
		})
	}
}

// Scan finds what of a view passes the filter.
type Scan struct {
	page.Scan
	*Filter
	store   *store.Store
	scanner *store.Scanner
	version int    // of the filter
	gen     uint64 // of the store
	open    int    // the first item that may pass later; -1 without one
	look    func() // looks at the items of the last time
}

// NewScan returns the scan of a view.
func (p *Program) NewScan() Scan {
	s := Scan{Filter: p.Filter, store: p.Store(), open: -1}
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
	s.gen = gen
}

// Rows looks at further rows of the store, and reports whether there are more.
func (s *Scan) Rows(end int, gen uint64) (behind bool) {
	s.look = func() { s.Rows(end, gen) }
	if s.again(gen); !s.Filter.On() {
		return false
	}
	var f filter.Frame // one for all: the closures are made once
	f.OfRow(s.store, s.scanner)
	visit := func(i int32, r *store.Row) bool {
		f.Row, f.Method = r, s.store.Method(r.Method)
		if r.Flags&store.Pending != 0 && s.open < 0 {
			s.open = int(i)
		}
		if s.in.Match(f) {
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
	f := filter.Frame{Row: &row, Method: s.store.Method(row.Method)}
	f.OfRow(s.store, s.scanner)
	return ok && s.in.Match(f)
}
