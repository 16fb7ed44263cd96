package result

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// searchBudget is the number of bytes searched between two paintings.
const searchBudget = 8 << 20

// search is the search of a view.
type search struct {
	line  textfield.Search
	found position // line of the visible match
	any   bool     // there is a match

	looking bool // a search of the rendered text is running
	at, end position
	step    int
}

// Search returns the line in which the words are typed.
func (v *Body) Search() *textfield.Search { return &v.text.search.line }

// Cursor returns the cell of the text cursor of the search.
func (v *Body) Cursor() (x, y int, ok bool) {
	x, ok = v.Search().CursorX()
	return x, v.text.height, ok
}

// begin searches for words, starting at the top of the window. Words without a capital match in any
// case.
func (v *Body) begin(words string) {
	s := &v.text.search
	s.any, s.looking, s.line.Missed, s.line.Only = false, false, false, false
	if t := v.Tree(); t != nil {
		v.searchTree(t.Search(words))
		return
	}
	if words != "" {
		v.text.searchFrom(position{block: v.text.at.block, line: v.text.at.line}, 1)
	}
}

// SearchNext goes to the next or previous match.
func (v *Body) SearchNext(step int) {
	s := &v.text.search
	switch t := v.Tree(); {
	case s.line.Empty():
	case t != nil && step > 0:
		v.searchTree(t.SearchNext())
	case t != nil:
		v.searchTree(t.SearchPrev())
	default:
		from := position{block: v.text.at.block, line: v.text.at.line}
		if s.any {
			from = v.text.neighbor(s.found, step)
		}
		v.text.searchFrom(from, step)
	}
}

// searchTree searches the tree.
func (v *Body) searchTree(find func() jsonview.Match) {
	s := &v.text.search
	s.line.Busy = find != nil
	v.tree.Find(v.run, find, func(found, only bool) {
		s.line.Busy, s.any, s.line.Missed, s.line.Only = false, found, !found, only
	})
}

// searchFrom starts a search of the lines from a position, wrapping around the end.
func (t *rendered) searchFrom(from position, step int) {
	s := &t.search
	s.looking, s.at, s.step = true, from, step
	s.end = t.neighbor(from, -step)
	t.searching()
}

// neighbor returns the line after or before a position, wrapping around the ends.
func (t *rendered) neighbor(at position, step int) position {
	at.row = 0
	if step > 0 {
		next, ok := t.next(at)
		if !ok {
			return position{}
		}
		return next
	}
	if at.line > 0 {
		at.line--
		return at
	}
	at.block = cmp.Or(at.block, len(t.blocks)) - 1
	at.line = t.blocks[at.block].lines() - 1
	return at
}

// searching continues a search in the text, and reports whether it is still running.
func (t *rendered) searching() bool {
	s := &t.search
	for budget := searchBudget; s.looking && budget > 0; {
		text := t.blocks[min(s.at.block, len(t.blocks)-1)].line(s.at.line)
		budget -= len(text) + 16
		if at, _ := find(text, s.line.Value()); at >= 0 {
			s.line.Only = s.any && s.found == s.at
			s.looking, s.any, s.line.Missed, s.found = false, true, false, s.at
			t.show(s.at)
			return false
		}
		if s.at == s.end {
			s.looking, s.any, s.line.Missed = false, false, true
			return false
		}
		s.at = t.neighbor(s.at, s.step)
	}
	return s.looking
}

// show moves the window so that a line is in its upper half.
func (t *rendered) show(at position) {
	t.at = at
	if t.paper.pal != nil {
		t.back(t.height / 3)
	}
}

// find returns the byte range of the first match in a text, or -1.
func find(text, query string) (from, to int) {
	if query == "" || len(text) < len(query) {
		return -1, -1
	}
	if strings.ToLower(query) != query {
		from = strings.Index(text, query)
		return from, from + len(query)
	}
	small := strings.ToLower(text)
	if from = strings.Index(small, query); from < 0 || len(small) == len(text) {
		return from, from + len(query)
	}
	// Letters that take more or fewer bytes in small: the place is counted in runes.
	before, n := len([]rune(small[:from])), len([]rune(query))
	runes := []rune(text)
	from = len(string(runes[:before]))
	return from, from + len(string(runes[before:min(before+n, len(runes))]))
}

// highlight marks the matches in a painted row.
func highlight(pal *paint.Palette, row, query string, w int) string {
	plain := ansi.Strip(row)
	for x := 0; ; {
		from, to := find(plain, query)
		if from < 0 || to <= from {
			return row
		}
		x += display.Width(plain[:from])
		n := display.Width(plain[from:to])
		row = paint.Slice(row, 0, x) + pal.Found.Render(plain[from:to]) + paint.Slice(row, x+n, w-x-n)
		x, plain = x+n, plain[to:]
	}
}
