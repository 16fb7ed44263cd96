package content

import (
	"strings"

	"mcptea/client"
	"mcptea/session/content"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
)

// View is a window on one answer. It is not safe for concurrent use, but it may
// be made by one goroutine and used by another.
type View struct {
	parts []part
	raw   []byte // the result or the error as it was sent; nil without one
	tree  *jsonview.View
	asRaw bool

	parsing  chan *jsonview.View // of the tree of a large result
	items    []content.Item
	x        int  // the first column that is shown of wide rows
	cut      bool // text is not wrapped
	search   search
	sections sections

	at     place
	moves  []move // since the last painting: how far a row goes depends on the width
	height int
	paper  paper
}

// place is a row of the text: a part, a line of it, and a row of that line.
type place struct{ part, line, row int }

// move is one step that waits for the next painting.
type move struct {
	rows  int
	pages int
	home  bool
	end   bool
}

// New decodes an answer to a request of a method, or the reason why there is
// none.
func New(method string, answer client.Response, err error) *View {
	v := &View{}
	switch {
	case err != nil:
		v.parts = failure(err)
	case answer.Err() != nil:
		v.raw = answer.Envelope.Error.Of(answer.Frame)
		v.parts = protocolError(answer.Err())
		v.items = content.Items("", v.raw)
	default:
		v.raw = answer.Result()
		v.parts = parts(content.Parse(method, v.raw))
		v.items = content.Items(method, v.raw)
	}
	if len(v.parts) == 0 {
		v.parts = []part{note{what: "the result is empty"}}
	}
	return v
}

// OfFrame decodes a whole frame with a response to a request of a method. Its JSON is that
// of the frame, and is shown at first, without its _meta.
func OfFrame(method string, r client.Response) *View {
	v := New(method, r, nil)
	v.raw = r.Frame
	v.Switch()
	if v.tree != nil {
		v.tree.FoldPointer("/result/_meta") // seldom what a reader looks for
	}
	return v
}

// Items are the pieces that can be written or read by a program, and the place of the
// one that is most likely wanted. There are none where nothing was received.
func (v *View) Items() (items []content.Item, likely int) {
	for _, it := range v.items {
		if !it.IsLink() {
			items = append(items, it)
		}
	}
	if v.asRaw {
		likely = len(items) - 1
	}
	return items, likely
}

// Links are the links to resources.
func (v *View) Links() []content.Item {
	var links []content.Item
	for _, it := range v.items {
		if it.IsLink() {
			links = append(links, it)
		}
	}
	return links
}

// ToggleWrap cuts long lines in place of wrapping them, or wraps them again. It reports
// whether they are wrapped now.
func (v *View) ToggleWrap() bool {
	v.cut, v.x = !v.cut, 0
	v.at.row = 0
	return !v.cut
}

// sideStep is how many columns the window moves at a time.
const sideStep = 8

// ScrollSide moves the window over tables and over lines that are not wrapped, to the
// right or, with -1, to the left.
func (v *View) ScrollSide(step int) {
	v.x = max(0, min(v.x+step*sideStep, v.paper.most-v.paper.w/2))
}

// Raw tells whether the JSON is shown as it was sent.
func (v *View) Raw() bool { return v.asRaw }

// atOnce is the size up to which a result is parsed while the user waits.
const atOnce = 256 << 10

// HasJSON reports whether there is something to switch to.
func (v *View) HasJSON() bool { return v.raw != nil }

// Switch goes from what is meant to what was sent, and back. A large result is
// parsed in the background first: see [View.Busy]. It tells whether there is
// something to switch to.
func (v *View) Switch() bool {
	switch {
	case v.raw == nil:
		return false
	case v.tree != nil:
		v.asRaw = !v.asRaw
		return true
	case v.parsing != nil:
		v.parsing = nil // the user has changed the mind
		return true
	}
	raw, parsing := v.raw, make(chan *jsonview.View, 1)
	v.parsing = parsing
	parse := func() {
		doc, _ := jsonview.Parse(raw) // what is no JSON shows as such
		parsing <- jsonview.NewView(doc)
	}
	if len(raw) > atOnce {
		go parse()
	} else {
		parse()
	}
	v.Busy()
	return true
}

// Busy reports whether the result is being parsed, and shows it when it has been.
func (v *View) Busy() bool {
	searching := v.searching()
	for _, p := range v.parts {
		if img, ok := p.(*imagePart); ok && img.decoding != nil {
			if img.busy() {
				searching = true
			} else {
				clear(v.paper.known)
			}
		}
	}
	if v.parsing == nil {
		return searching
	}
	select {
	case v.tree = <-v.parsing:
		v.parsing, v.asRaw = nil, true
		return searching
	default:
		return true
	}
}

// Tree is the JSON of the raw mode, for folding; nil in the other mode.
func (v *View) Tree() *jsonview.View {
	if !v.asRaw {
		return nil
	}
	return v.tree
}

// Whole is everything that is shown, to be copied: the bytes of the JSON, or text.
func (v *View) Whole() (text string, raw []byte) {
	if v.asRaw {
		return "", v.raw
	}
	all := v.parts
	if v.sections.all != nil {
		all = v.sections.all
	}
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = strings.TrimSuffix(p.whole(), "\n")
	}
	return strings.Join(texts, "\n"), nil
}

// Move scrolls by rows.
func (v *View) Move(n int) {
	if t := v.Tree(); t != nil {
		t.Move(n)
		return
	}
	v.moves = append(v.moves, move{rows: n})
}

// Scroll scrolls by rows and, unlike Move, leaves a cursor where it is.
func (v *View) Scroll(n int) {
	if t := v.Tree(); t != nil {
		t.Scroll(n)
		return
	}
	v.Move(n)
}

// Page scrolls by screens.
func (v *View) Page(n int) {
	if t := v.Tree(); t != nil {
		t.Page(n)
		return
	}
	v.moves = append(v.moves, move{pages: n})
}

// HalfPage scrolls by half screens.
func (v *View) HalfPage(n int) {
	if t := v.Tree(); t != nil {
		t.HalfPage(n)
		return
	}
	v.Move(n * max(v.height/2, 1))
}

// Home goes to the first row.
func (v *View) Home() {
	if t := v.Tree(); t != nil {
		t.Home()
		return
	}
	v.moves = []move{{home: true}}
}

// End goes to the last row.
func (v *View) End() {
	if t := v.Tree(); t != nil {
		t.End()
		return
	}
	v.moves = []move{{end: true}}
}

// Rows paints the window: exactly h rows of w cells.
func (v *View) Rows(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) (painted []string) {
	if h <= 0 {
		return nil
	}
	if v.search.line.Shown() && h > 1 {
		defer func() { painted = append(painted, v.searchRow(pal, w)) }()
		h--
	}
	v.height = h
	if v.asRaw {
		return v.tree.Rows(pal, js, w, h, focused)
	}
	v.showSource(pal.Source)
	v.paper.use(pal, js, w, h, v.x, v.cut)
	v.carryOut()
	rows, end := v.collect(h)
	if len(rows) < h && v.back(h-len(rows)) > 0 {
		rows, end = v.collect(h) // the window does not go past the end
	}
	r := pal.Row()
	for len(rows) < h {
		r.Start(w, paint.Style{})
		rows = append(rows, r.String())
	}
	if query := v.search.query(); query != "" {
		for i := range rows {
			rows[i] = highlight(pal, rows[i], query, w)
		}
	}
	v.mark(pal, rows, end, w)
	return rows
}

// mark says in the corners that there is more.
func (v *View) mark(pal *paint.Palette, rows []string, end bool, w int) {
	if w < 4 {
		return
	}
	set := func(i int, glyph string) {
		rows[i] = paint.Slice(rows[i], 0, w-1) + pal.Muted.Render(glyph)
	}
	if v.at != (place{}) {
		set(0, pal.Up)
	}
	if !end {
		set(len(rows)-1, pal.Down)
	}
}

// carryOut does the moves that have come in since the last painting.
func (v *View) carryOut() {
	v.at.part = min(v.at.part, len(v.parts)-1)
	v.at.row = min(v.at.row, len(v.paper.rows(v.parts, v.at))-1)
	for _, m := range v.moves {
		n := m.rows + m.pages*max(v.height-1, 1)
		switch {
		case m.home:
			v.at = place{}
		case m.end:
			v.at = place{part: len(v.parts) - 1}
			v.at.line = v.parts[v.at.part].lines() - 1
			v.at.row = len(v.paper.rows(v.parts, v.at)) - 1
			v.back(v.height - 1)
		case n < 0:
			v.back(-n)
		default:
			v.forth(n)
		}
	}
	v.moves = v.moves[:0]
}

// collect gives the rows from the place on, and whether the last one is the
// end of everything.
func (v *View) collect(h int) (rows []string, end bool) {
	at := v.at
	for {
		all := v.paper.rows(v.parts, at)
		all = all[min(at.row, len(all)):]
		room := h - len(rows)
		if len(all) > room {
			return append(rows, all[:room]...), false
		}
		rows = append(rows, all...)
		next, ok := v.next(at)
		if !ok {
			return rows, true
		}
		if len(rows) == h {
			return rows, false
		}
		at = next
	}
}

// next is the line after a place.
func (v *View) next(at place) (place, bool) {
	if at.line+1 < v.parts[at.part].lines() {
		return place{at.part, at.line + 1, 0}, true
	}
	if at.part+1 < len(v.parts) {
		return place{at.part + 1, 0, 0}, true
	}
	return at, false
}

// back goes so many rows up, as far as there are some; it gives how many.
func (v *View) back(n int) (done int) {
	for done < n {
		step := min(v.at.row, n-done)
		v.at.row -= step
		done += step
		if done == n {
			break
		}
		switch {
		case v.at.line > 0:
			v.at.line--
		case v.at.part > 0:
			v.at.part--
			v.at.line = v.parts[v.at.part].lines() - 1
		default:
			return done
		}
		v.at.row = len(v.paper.rows(v.parts, v.at)) - 1
		done++
	}
	return done
}

// forth goes so many rows down; Rows goes back when that was too far.
func (v *View) forth(n int) {
	for n > 0 {
		left := len(v.paper.rows(v.parts, v.at)) - 1 - v.at.row
		if n <= left {
			v.at.row += n
			return
		}
		next, ok := v.next(v.at)
		if !ok {
			v.at.row += left
			return
		}
		n -= left + 1
		v.at = next
	}
}
