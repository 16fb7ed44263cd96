package jsonview

import (
	"slices"

	"mcptea/ui/paint"
)

// A View is a window on a document with its folds, its cursor and its search. It is not safe for concurrent
// use.
type View struct {
	doc    *Doc
	window Stack    // a window of only this view
	folded []uint64 // a bit for each line
	spare  []int    // lines that are folded only while they have no room
	cursor int
	notes  map[int]string
	marks  map[int]paint.Span
	centre bool // the next painting has the cursor in the middle
	long   map[int]spans
	query  query

	envelope *envelope

	searches int // number of searches started
	// small is a copy of the document in small letters, which is made once for a search: to
	// search it is many times faster than to compare letters of either case.
	small func() []byte
}

// NewView makes a window on doc, all unfolded, the cursor on the first line.
func NewView(doc *Doc) *View {
	v := &View{doc: doc, folded: make([]uint64, (doc.Len()+63)/64)}
	v.window.Show(v, nil, false)
	return v
}

// Doc returns the document.
func (v *View) Doc() *Doc { return v.doc }

func (v *View) isFolded(l int) bool { return v.folded[l/64]>>(l%64)&1 == 1 }

// setFolded folds a line or unfolds it, and it stays so.
func (v *View) setFolded(l int, on bool) {
	v.spare = slices.DeleteFunc(v.spare, func(s int) bool { return s == l })
	v.fold(l, on)
}

func (v *View) fold(l int, on bool) {
	if on {
		v.folded[l/64] |= 1 << (l % 64)
	} else {
		v.folded[l/64] &^= 1 << (l % 64)
	}
}

// surface returns the visible line under which l is hidden, or l if l is visible.
func (v *View) surface(l int) int {
	d := v.doc
	if v.isHidden(l) {
		return 0
	}
	s := l
	if n := d.node(l); n != l && v.isFolded(n) {
		s = n
	}
	for c := range d.parents(l) {
		if v.isFolded(int(c.open)) {
			s = int(c.open)
		}
	}
	return s
}

// next returns the line shown after l, or -1.
func (v *View) next(l int) int {
	n := l + 1
	if v.isFolded(l) { // only an opening line
		n = v.doc.last(l) + 1
	}
	if n >= v.doc.Len() {
		return -1
	}
	if v.isHidden(n) {
		return v.next(n)
	}
	return n
}

// prev returns the visible line before l, or -1. A folded container that ends right before l is
// represented by its opening line. Nothing else can be hidden there.
func (v *View) prev(l int) int {
	if l == 0 {
		return -1
	}
	if v.isHidden(l - 1) {
		return v.prev(l - 1)
	}
	if n := v.doc.node(l - 1); n != l-1 && v.isFolded(n) {
		return n
	}
	return l - 1
}

// end returns the last visible line.
func (v *View) end() int { return v.prev(v.doc.Len()) }

// Move moves the cursor by n visible lines.
func (v *View) Move(n int) { v.window.Move(n) }

// Turn moves the cursor and the window by n lines.
func (v *View) Turn(n int) { v.window.Turn(n) }

// Screen returns the number of visible lines.
func (v *View) Screen() int { return v.window.height }

// Scroll moves the window by n lines and keeps the cursor inside.
func (v *View) Scroll(n int) { v.window.Scroll(n) }

// Click is like [Stack.Click].
func (v *View) Click(x, row int) { v.window.Click(x, row) }

// Home moves to the first line.
func (v *View) Home() { v.window.Home() }

// End moves to the last visible line.
func (v *View) End() { v.window.End() }

// Lines returns the number of lines with the current folds, at most most.
func (v *View) Lines(most int) int { return v.window.Lines(most) }

// Rows paints the window: exactly h rows of w cells. It moves the window so that the cursor is visible.
func (v *View) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	return v.window.Rows(p, js, w, h, focused, "")
}

// Head paints the first lines, at most h rows, without the cursor.
func (v *View) Head(p *paint.Palette, js paint.JSONStyles, w, h int) (rows []string) {
	r := p.Row()
	for at := range v.window.from(spot{}) {
		if len(rows) == h {
			break
		}
		v.row(r, p, &js, w, at.line, false, false)
		rows = append(rows, r.String())
	}
	return rows
}

// Parent moves to the opening line around the cursor; false at the top.
func (v *View) Parent() bool {
	if n := v.doc.node(v.cursor); n != v.cursor {
		v.cursor = n
		return true
	}
	for c := range v.doc.parents(v.cursor) {
		v.cursor = int(c.open)
		return true
	}
	return false
}

// Toggle folds or unfolds the container at the cursor, on its first or last line. It reports whether there was
// one.
func (v *View) Toggle() bool {
	if v.toggleEnvelope() {
		return true
	}
	n, ok := v.container()
	if ok {
		v.setFolded(n, !v.isFolded(n))
		v.cursor = n
		v.settle()
	}
	return ok
}

func (v *View) container() (int, bool) {
	n := v.doc.node(v.cursor)
	return n, v.doc.isOpen(n)
}

// Fold folds the container under the cursor; on anything else it moves to the
// container around it.
func (v *View) Fold() {
	if n, ok := v.container(); ok && !v.isFolded(n) {
		v.setFolded(n, true)
		v.cursor = n
		v.settle()
		return
	}
	v.Parent()
}

// Unfold unfolds the container under the cursor; an unfolded one is entered.
func (v *View) Unfold() {
	n, ok := v.container()
	switch {
	case ok && v.isFolded(n):
		v.setFolded(n, false)
	case ok && n == v.cursor:
		v.Move(1)
	}
}

// FoldDepth folds all containers with at least depth containers around them, and unfolds the others. It
// examines every container.
func (v *View) FoldDepth(depth int) {
	for c, around := range v.doc.nested {
		v.setFolded(int(c.open), around >= depth)
	}
	v.settle()
}

// UnfoldAll unfolds everything.
func (v *View) UnfoldAll() {
	clear(v.folded)
	v.spare = nil
	if v.envelope != nil {
		v.envelope.open = true
	}
}

// settle brings the cursor back to a line that shows.
func (v *View) settle() { v.cursor = v.surface(v.cursor) }

// reveal unfolds what hides line l and moves there.
func (v *View) reveal(l int) {
	if v.isHidden(l) {
		v.envelope.open = true
	}
	for c := range v.doc.parents(l) {
		v.setFolded(int(c.open), false)
	}
	if n := v.doc.node(l); n != l {
		v.setFolded(n, false)
	}
	v.cursor = l
}

// Path names the value under the cursor; see [Doc.Path].
func (v *View) Path() string { return v.doc.Path(v.cursor) }

// Place returns the steps to the value at the cursor, as [Doc.Place] does.
func (v *View) Place() []any { return v.doc.Place(v.cursor) }

// Value returns the exact bytes of the value at the cursor.
func (v *View) Value() []byte { return v.doc.Value(v.cursor) }

// Span returns the start and the end of the value at the cursor in the raw bytes.
func (v *View) Span() (start, end int) { return v.doc.Span(v.cursor) }

// SelectOffset moves to the line that a byte belongs to, unfolding what hides it.
func (v *View) SelectOffset(offset int) { v.reveal(v.doc.lineAt(offset)) }

// Note puts a short note after the value that a JSON pointer names, if there is one; ""
// removes it. The note is trusted text.
func (v *View) Note(pointer, note string) {
	l, ok := v.doc.find(pointer)
	if !ok {
		return
	}
	if v.notes == nil {
		v.notes = map[int]string{}
	}
	if v.notes[l] = note; note == "" {
		delete(v.notes, l)
	}
}
