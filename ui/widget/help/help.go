package help

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

const (
	columnMin = 52 // cells: keys and a sentence, seldom cut
	columnGap = 3
)

// Entry is one row of the table. Its texts are trusted.
type Entry struct {
	Keys  string // "ctrl+d pgdown"
	What  string
	Group string
}

// Help is a window on a table. Make it with New. It is not safe for concurrent
// use.
type Help struct {
	entries []Entry
	filter  edit.Buffer
	top     int
	height  int
	total   int // rows of the table at the last painting
}

// New makes a help window. Entries of one group need not stand together;
// groups come in the order of their first entry.
func New(entries []Entry) *Help { return &Help{entries: entries, height: 1} }

// Filter gives the text of the filter.
func (h *Help) Filter() string { return h.filter.Value() }

// SetFilter sets the text of the filter: words that all have to be found.
func (h *Help) SetFilter(s string) {
	h.filter.SetValue(s)
	h.top = 0
}

// Key types into the filter or scrolls; false when the key meant nothing here.
// Esc empties the filter first.
func (h *Help) Key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "down":
		h.Scroll(1)
	case "up":
		h.Scroll(-1)
	case "pgdown", "ctrl+d":
		h.Scroll(h.height)
	case "pgup":
		h.Scroll(-h.height)
	case "esc":
		if h.filter.Empty() {
			return false
		}
		h.SetFilter("")
	default:
		before := h.filter.Version()
		used := h.filter.Key(k)
		if h.filter.Version() != before {
			h.top = 0
		}
		return used
	}
	return true
}

// Scroll moves the window by n rows.
func (h *Help) Scroll(n int) {
	h.top = max(min(h.top+n, h.total-h.height), 0)
}

// matching gives the entries that hold all words of the filter, by group.
func (h *Help) matching() []Entry {
	words := strings.Fields(strings.ToLower(h.filter.Value()))
	var order []string
	groups := map[string][]Entry{}
	for _, e := range h.entries {
		if !hasAll(strings.ToLower(e.Keys+" "+e.What+" "+e.Group), words) {
			continue
		}
		if _, ok := groups[e.Group]; !ok {
			order = append(order, e.Group)
		}
		groups[e.Group] = append(groups[e.Group], e)
	}
	var out []Entry
	for _, g := range order {
		out = append(out, groups[g]...)
	}
	return out
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Rows paints the window: exactly n rows of w cells, the filter first.
func (h *Help) Rows(p *paint.Palette, w, n int) []string {
	if n <= 0 {
		return nil
	}
	r := p.Row()
	entries := h.matching()
	out := append(make([]string, 0, n), h.filterRow(r, p, w, len(entries)))
	table := h.table(p, w, entries)
	h.total, h.height = len(table), max(n-2, 1)
	h.Scroll(0)
	r.Start(w, paint.Style{})
	if h.total > h.height {
		r.Right(paint.Span{Style: p.Muted, Text: p.Down + " more "})
		if h.top+h.height >= h.total {
			r.Right(paint.Span{Style: p.Muted, Text: p.Up + " more "})
		}
	}
	out = append(out, r.String())
	for i := h.top; len(out) < n; i++ {
		if i < h.total {
			out = append(out, table[i])
			continue
		}
		r.Start(w, paint.Style{})
		out = append(out, r.String())
	}
	return out[:n]
}

func (h *Help) filterRow(r *paint.Row, p *paint.Palette, w, found int) string {
	r.Start(w, paint.Style{})
	r.Gap(1)
	r.Put(p.Accent, "/ ")
	if h.filter.Empty() {
		r.Put(p.Muted, "type to filter")
		return r.String()
	}
	st := p.Muted
	if found == 0 {
		st = p.Error
	}
	r.Right(paint.Span{Style: st, Text: paint.HumanCount(found) + " "})
	cells := r.Left()
	for _, row := range h.filter.Rows(p, paint.Style{}, cells, 1, edit.Plain(p.Strong)) {
		r.Painted(row, cells)
	}
	return r.String()
}

// Cursor is the cell of the text cursor in the rows last painted.
func (h *Help) Cursor() (x, y int) {
	x, y = h.filter.Cursor()
	return x + 3, y
}

// line is one row of a column: a group's title, an entry, or nothing.
type line struct {
	title string
	entry Entry
}

// table paints all rows, groups going down one column and then the next.
func (h *Help) table(p *paint.Palette, w int, entries []Entry) []string {
	columns := max((w+columnGap)/(columnMin+columnGap), 1)
	lines := groupLines(entries)
	cols := balance(lines, columns)
	cw := (w - 1 - columnGap*(columns-1)) / columns
	keyw := 0
	for _, e := range entries {
		keyw = max(keyw, paint.Width(e.Keys))
	}
	keyw = min(keyw, max(cw*2/5, 1))
	rows := 0
	for _, c := range cols {
		rows = max(rows, len(c))
	}
	r := p.Row()
	out := make([]string, 0, rows)
	for y := range rows {
		r.Start(w, paint.Style{})
		for x, c := range cols {
			r.To(1 + x*(cw+columnGap))
			if y < len(c) {
				c[y].paint(r, p, cw, keyw)
			}
		}
		out = append(out, r.String())
	}
	return out
}

func (l line) paint(r *paint.Row, p *paint.Palette, w, keyw int) {
	if l.title != "" {
		r.Cell(p.Strong, l.title, w)
		return
	}
	r.Cell(p.AccentBold, l.entry.Keys, keyw)
	r.Gap(2)
	r.Cell(p.Muted, l.entry.What, w-keyw-2)
}

func groupLines(entries []Entry) [][]line {
	var out [][]line
	group := ""
	for i, e := range entries {
		if i == 0 || e.Group != group {
			group = e.Group
			out = append(out, nil)
			if group != "" {
				out[len(out)-1] = append(out[len(out)-1], line{title: group})
			}
		}
		last := len(out) - 1
		out[last] = append(out[last], line{entry: e})
	}
	return out
}

// balance fills n columns one after the other without tearing a group, to
// about the same height each.
func balance(groups [][]line, n int) [][]line {
	total := 0
	for _, g := range groups {
		total += len(g) + 1
	}
	want := (total + n - 1) / n
	cols := make([][]line, n)
	c := 0
	for _, g := range groups {
		if len(cols[c]) > 0 && len(cols[c])+len(g)/2 > want && c+1 < n {
			c++
		}
		if len(cols[c]) > 0 {
			cols[c] = append(cols[c], line{})
		}
		cols[c] = append(cols[c], g...)
	}
	return cols
}
