package content

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// searchBudget is how many bytes are searched between two paintings.
const searchBudget = 8 << 20

// search is the search of a view.
type search struct {
	line  textfield.Filter
	found place // the line of the match on show
	any   bool  // there is a match
	none  bool  // no line has a match

	looking bool // in the rendered text
	at, end place
	step    int
	inTree  bool // in the tree
}

// StartSearch opens the line in which the search is typed.
func (v *View) StartSearch() { v.text.search.line.Open() }

// Typing reports whether keys are text of the search.
func (v *View) Typing() bool { return v.text.search.line.Typing() }

// Key takes a key of the search.
func (v *View) Key(k tea.KeyPressMsg) bool {
	before := v.text.search.line.Version()
	taken := v.text.search.line.Key(k)
	if v.text.search.line.Version() != before {
		v.searchAgain()
	}
	return taken
}

// Paste inserts text into the words of the search.
func (v *View) Paste(text string) {
	if v.text.search.line.Paste(text) {
		v.searchAgain()
	}
}

// EndTyping ends the typing: the words are kept, or dropped.
func (v *View) EndTyping(keep bool) {
	if !keep {
		v.EndSearch()
	}
	v.text.search.line.Close()
}

// EndSearch drops the words of a search. It reports whether there were any.
func (v *View) EndSearch() bool {
	had := v.text.search.line.Clear()
	if had {
		v.searchAgain()
	}
	return had
}

// Cursor is the cell of the text cursor of the search.
func (v *View) Cursor() (x, y int, ok bool) {
	x, ok = v.text.search.line.CursorX()
	return x, v.text.height, ok && v.text.search.line.Shown()
}

// query is what is searched; without capitals it matches either case.
func (s *search) query() string { return s.line.Value() }

// searchAgain searches for new words, from the top of the window on.
func (v *View) searchAgain() {
	s := &v.text.search
	s.any, s.none, s.looking = false, false, false
	if t := v.Tree(); t != nil {
		v.searchTree(t.Search(s.query()))
		return
	}
	if s.query() != "" {
		v.text.look(place{part: v.text.at.part, line: v.text.at.line}, 1)
	}
}

// SearchNext goes to the next match, or to the previous one.
func (v *View) SearchNext(step int) {
	s := &v.text.search
	switch t := v.Tree(); {
	case s.query() == "":
	case t != nil && step > 0:
		v.searchTree(t.SearchNext())
	case t != nil:
		v.searchTree(t.SearchPrev())
	default:
		from := place{part: v.text.at.part, line: v.text.at.line}
		if s.any {
			from = v.text.neighbor(s.found, step)
		}
		v.text.look(from, step)
	}
}

// searchTree searches the tree.
func (v *View) searchTree(find func() jsonview.Match) {
	s := &v.text.search
	s.inTree = find != nil
	v.tree.Find(v.run, find, func(found bool) { s.inTree, s.any, s.none = false, found, !found })
}

// look begins to look at the lines from one on, around the end.
func (t *rendered) look(from place, step int) {
	s := &t.search
	s.looking, s.at, s.step = true, from, step
	s.end = t.neighbor(from, -step)
	t.searching()
}

// neighbor is the line after a place, or before it, around the ends.
func (t *rendered) neighbor(at place, step int) place {
	at.row = 0
	if step > 0 {
		next, ok := t.next(at)
		if !ok {
			return place{}
		}
		return next
	}
	if at.line > 0 {
		at.line--
		return at
	}
	if at.part == 0 {
		at.part = len(t.parts)
	}
	at.part--
	at.line = t.parts[at.part].lines() - 1
	return at
}

// searching goes on with a search in the text, and reports whether it is still going on.
func (t *rendered) searching() bool {
	s := &t.search
	for budget := searchBudget; s.looking && budget > 0; {
		text := t.parts[min(s.at.part, len(t.parts)-1)].line(s.at.line)
		budget -= len(text) + 16
		if at, _ := find(text, s.query()); at >= 0 {
			s.looking, s.any, s.none, s.found = false, true, false, s.at
			t.show(s.at)
			return false
		}
		if s.at == s.end {
			s.looking, s.any, s.none = false, false, true
			return false
		}
		s.at = t.neighbor(s.at, s.step)
	}
	return s.looking
}

// show moves the window so that a line is in its upper half.
func (t *rendered) show(at place) {
	t.at, t.moves = at, t.moves[:0]
	if t.paper.pal != nil {
		t.back(t.height / 3)
	}
}

// find returns the first match in a text, as its bytes; -1 without one.
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
		x += paint.Width(plain[:from])
		n := paint.Width(plain[from:to])
		row = paint.Slice(row, 0, x) + pal.WarnBold.Reverse().Render(plain[from:to]) + paint.Slice(row, x+n, w-x-n)
		x, plain = x+n, plain[to:]
	}
}

// searchRow paints the line of the search.
func (v *View) searchRow(pal *paint.Palette, w int) string {
	s := &v.text.search
	r := pal.Row()
	r.Start(w, paint.Style{})
	if s.none && s.query() != "" {
		r.Right(paint.Span{Style: pal.Warn, Text: "not found "})
	} else if s.looking || s.inTree {
		r.Right(paint.Span{Style: pal.Muted, Text: "searching "})
	}
	s.line.Put(r, pal, pal.Text, w-20)
	return r.String()
}
