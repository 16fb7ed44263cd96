package frames

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/filter"
	"mcptea/session/store"
	"mcptea/ui/app"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// completion is what the part of the filter under the cursor can become.
type completion struct {
	from, to int // the part, in bytes
	list     []filter.Candidate
	tries    []filter.Filter // with each candidate in the place of the part
	left     []int           // frames that each of them would leave, as far as was counted
	at       int             // the selected one
	scan     page.Scan
	source   Source
	values   map[string][]string // of properties, as far as they were asked for
}

const (
	// maxShownCandidates is how many candidates are in sight; maxRecent how many of the
	// newest rows are looked at for values.
	maxShownCandidates = 8
	maxRecent          = 2000
	maxNameHead        = 4 << 10
)

// complete finds the candidates for the part under the cursor.
func (f *Filter) complete() {
	c := &f.completion
	if c.values == nil {
		c.values = map[string][]string{}
	}
	text := f.line.Value()
	c.to = f.line.Offset()
	c.from, c.list = filter.Complete(text, c.to, c.valuesOf)
	c.tries, c.left, c.at = c.tries[:0], make([]int, len(c.list)), 0
	c.scan.From(0)
	for _, one := range c.list {
		try, _ := filter.Parse(text[:c.from] + one.Example + text[c.to:])
		c.tries = append(c.tries, try)
	}
}

// valuesOf are the values of a property in the newest rows.
func (c *completion) valuesOf(property string) []string {
	if list, ok := c.values[property]; ok || c.source == nil {
		return list
	}
	seen := map[string]bool{}
	s := c.source.Store()
	for i := int32(s.Snapshot().Rows) - 1; i >= 0 && len(seen) < 100 && int(i) > s.Snapshot().Rows-maxRecent; i-- {
		r, _ := s.Row(i)
		switch method := s.Method(r.Method); property {
		case "method":
			seen[method] = true
		case "code":
			if r.Kind == jsonrpc.ErrorResponse {
				seen[strconv.FormatInt(r.Code, 10)] = true
			}
		case "conn":
			seen[strconv.Itoa(int(r.Conn))] = true
		case "rule":
			for _, x := range c.source.FindingsAt(i) {
				seen[x.Rule.ID] = true
			}
		case "tool":
			if r.Kind == jsonrpc.Request && method == "tools/call" {
				head, _ := s.Head(i, maxNameHead)
				name, _ := jsonrpc.Start(head, "params", "name")
				text, _ := jsonrpc.Unquote(name)
				seen[text] = true
			}
		}
	}
	delete(seen, "")
	list := make([]string, 0, len(seen))
	for v := range seen {
		list = append(list, v)
	}
	slices.Sort(list)
	c.values[property] = list
	return list
}

// completes reports whether candidates are in sight.
func (f *Filter) completes() bool { return f.line.Typing() && len(f.completion.list) > 0 }

// Choose implements [app.Completer]. The key that inserts never ends the typing: what is
// typed after it is text.
func (f *Filter) Choose(k tea.KeyPressMsg) (taken bool) {
	c := &f.completion
	switch key := k.Key(); {
	case key.Code == tea.KeyTab && key.Mod == 0, key.Code == tea.KeySpace && key.Mod == tea.ModCtrl:
		if f.completes() {
			text, part := f.line.Value(), c.list[c.at].Part
			if part[len(part)-1] != ':' {
				part += " "
			}
			rest := text[c.to:]
			f.line.SetValue(text[:c.from] + part)
			if rest != "" {
				f.line.SetValue(text[:c.from] + part + rest)
			}
			f.apply()
			f.complete()
		}
	case key.Code == tea.KeyUp:
		c.at = max(c.at-1, 0)
		return f.completes()
	case key.Code == tea.KeyDown:
		c.at = max(min(c.at+1, len(c.list)-1), 0)
		return f.completes()
	default:
		return false
	}
	return true
}

// count counts what the candidates would leave in the rows of a store.
func (s *Scan) count(end int) (behind bool) {
	f := s.Filter
	c := &f.completion
	if c.source == nil {
		c.source = s.source
	}
	if !f.completes() || s.source == nil {
		return false
	}
	fr := filter.Frame{}
	fr.OfRow(s.store, s.scanner)
	fr.Rule = s.ruleOf(&fr)
	return c.scan.Advance(end, func(from, to int) int {
		return int(s.scanner.Rows(int32(from), to-from, func(i int32, r *store.Row) bool {
			fr.Row, fr.Index, fr.Method = r, i, s.store.Method(r.Method)
			for n := range c.tries {
				if c.tries[n].Match(&fr) {
					c.left[n]++
				}
			}
			return true
		}))
	})
}

// Candidates paints what the part under the cursor can become, over the list in the box on
// a canvas.
func (f *Filter) Candidates(on *app.Canvas) {
	c := &f.completion
	rows := min(len(c.list), maxShownCandidates, on.H-6)
	if !f.completes() || rows <= 0 {
		return
	}
	const w = 66
	y := 3
	if f.err != nil {
		y++
	}
	box := on.Above(f.line.Column(c.from), y, min(w, on.W-2), rows+3)
	note := []paint.Span{{Style: on.Pal.Muted, Text: strconv.Itoa(c.at+1) + " of " + strconv.Itoa(len(c.list))}}
	in := box.Box([]paint.Span{{Style: on.Pal.TextBold, Text: "Filter"}}, note, true)
	top := max(0, c.at-rows+1)
	for i := top; i < top+rows; i++ {
		one := &c.list[i]
		in.Line(func(r *paint.Row) {
			st, mark := on.Pal.Text, " "
			if i == c.at {
				st, mark = on.Pal.Strong, on.Pal.Bar
			}
			r.Put(on.Pal.Accent, mark)
			count := paint.HumanCount(c.left[i])
			if c.scan.Next == 0 {
				count = on.Pal.Ellipsis
			}
			r.Right(paint.Span{Style: on.Pal.Muted, Text: count + " "})
			if one.About == "" {
				r.Put(st, one.Part)
				return
			}
			r.Cell(st, one.Part, 9)
			r.Put(on.Pal.Muted, one.About)
			r.To(max(r.Used()+1, in.W-26))
			r.Put(on.Pal.Value, one.Example)
		})
	}
	in.Click(0, 0, in.W, rows, func(_, y int) { c.at = min(top+y, len(c.list)-1) })
	in.Line(func(r *paint.Row) {
		r.Put(on.Pal.AccentBold, " tab")
		r.Put(on.Pal.Muted, " insert   ")
		r.Put(on.Pal.AccentBold, "↑/↓")
		r.Put(on.Pal.Muted, " select")
		r.Right(paint.Span{Style: on.Pal.Muted, Text: "frames left "})
	})
}
