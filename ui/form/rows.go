package form

import (
	"slices"
	"strings"

	"mcptea/internal/schema"
	"mcptea/ui/textfield"
)

// kind determines how a row is filled in.
type kind uint8

// The kinds. The first two are filled in by typing.
const (
	oneLine kind = iota
	manyLines
	toggle  // "true", "false" or nothing
	choice  // one of the options, or none
	choices // any of the options
	heading // above the rows of an object or array
)

// A usage is the part of a node that a row displays.
type usage uint8

// The usages.
const (
	value     usage = iota
	entryName       // name of an entry
	adder           // row that adds an item or an entry to the node
)

// A row displays a part of a node. It reads its text from the node when it is painted.
type row struct {
	node  *schema.Node
	usage usage
	kind  kind
	depth int // depth of nesting

	buf   textfield.Buffer // typed text
	fresh bool             // the text is the default, so typing replaces it
	at    int              // index of the option under the cursor, for choices

	problem, note string
	judgedText    string // text that problem and note are about

	need    int // cells of the input; see [row.measure]
	y, rows int // position when last painted
	grid    grid
	painted painted
}

// maxChoice is the number of options up to which keys step through them. If there are more, the
// user filters them.
const maxChoice = 8

// show makes the rows for the open nodes. A row with the same usage and kind keeps everything
// except its text. The focus stays on its row, or at its position.
func (f *Form) show() {
	was := make(map[rowKey]*row, len(f.rows))
	for _, r := range f.rows {
		was[r.rowKey()] = r
	}
	focused := f.focused()
	f.rows, f.view.laidOut = nil, false
	f.version++
	f.inside(f.Tree.Root(), 0)
	for i, r := range f.rows {
		if focused != nil && r.rowKey() == focused.rowKey() {
			f.focus = i
		}
		if old := was[r.rowKey()]; old != nil && old.kind == r.kind {
			old.node, old.depth = r.node, r.depth
			f.rows[i] = old
		}
		f.rows[i].renew()
	}
	f.focus = max(min(f.focus, len(f.rows)-1), 0)
	for len(was) == 0 && f.focus+1 < len(f.rows) && f.rows[f.focus].kind == heading && f.rows[f.focus+1].depth > f.rows[f.focus].depth {
		f.focus++ // a heading accepts no text
	}
}

// inside adds the rows for the content of a node.
func (f *Form) inside(n *schema.Node, depth int) {
	if n.Shape == schema.Union {
		if n.Parent() == nil {
			f.addRows(n, depth)
		}
		return
	}
	for _, c := range n.Children {
		if c.Entry && n.Adds() {
			f.rows = append(f.rows, &row{node: c, usage: entryName, depth: depth})
		}
		f.addRows(c, depth)
	}
	if n.Adds() && (n.Shape == schema.Object || len(n.Children) > 0) {
		f.rows = append(f.rows, &row{node: n, usage: adder, kind: heading, depth: depth})
	}
}

// addRows adds the rows of a node.
func (f *Form) addRows(n *schema.Node, depth int) {
	r := &row{node: n, kind: f.kindOf(n), depth: depth}
	f.rows = append(f.rows, r)
	switch {
	case r.isOpen():
		f.inside(n, depth+1)
	case r.isUnion() && n.Selected >= 0 && len(n.Children) == 1:
		if c := n.Children[0]; c.Shape == schema.Object && !c.AsJSON {
			f.inside(c, depth+1)
		} else {
			f.addRows(c, depth+1)
		}
	}
}

func (f *Form) kindOf(n *schema.Node) kind {
	switch {
	case n.AsJSON:
		return manyLines
	case n.Shape == schema.Union:
		return choice
	case n.Shape != schema.Leaf:
		return heading
	}
	switch n.Field.Kind {
	case schema.Boolean:
		return toggle
	case schema.Multi:
		return choices
	case schema.JSON:
		return manyLines
	case schema.Enum:
		if !f.Filters || len(n.Field.Options) <= maxChoice {
			return choice
		}
	}
	if strings.Contains(n.Text, "\n") {
		return manyLines
	}
	return oneLine
}

// renew takes the text from the node if it differs from the typed text.
func (r *row) renew() {
	text := r.text()
	r.painted, r.grid.w = painted{}, 0
	r.at = max(min(r.at, len(r.options())-1), 0)
	if r.judgedText != text {
		r.setProblem("", "")
	}
	r.buf.Multi = r.kind == manyLines
	if r.isTyped() && r.buf.Value() != textfield.Clean(text) {
		r.buf.SetValue(text)
		r.fresh = r.usage == value && r.node.IsDefault()
	}
}

func (r *row) isTyped() bool { return r.kind <= manyLines }
func (r *row) isUnion() bool { return r.kind == choice && r.node.Shape == schema.Union }
func (r *row) isOpen() bool {
	return r.kind == heading && r.usage == value && r.node.Open && !r.node.Null
}

// A rowKey identifies a row, even after the schema has changed.
type rowKey struct {
	id    string
	usage usage
}

func (r *row) rowKey() rowKey { return rowKey{r.node.ID, r.usage} }

// text returns the entered value: the typed text, "true" or "false" for a toggle, the label of an
// option, or several labels separated by ", ".
func (r *row) text() string {
	n := r.node
	switch {
	case r.usage == entryName:
		return n.Name
	case r.kind == heading, r.isUnion() && n.Selected < 0:
		return ""
	case r.isUnion():
		return n.Options[n.Selected]
	}
	return n.Text
}

// write sets the value of a row.
func (f *Form) write(r *row, text string) {
	if text == r.text() {
		return
	}
	f.changed()
	switch {
	case r.usage == entryName:
		f.Tree.SetKey(r.node, text)
	case r.isUnion():
		f.Tree.Select(r.node, slices.Index(r.node.Options, text))
		f.show()
	default:
		f.Tree.SetText(r.node, text)
	}
	r.setProblem("", f.preview(r.node))
}

// setProblem sets the problem and the note for the current value.
func (r *row) setProblem(problem, note string) {
	r.problem, r.note, r.judgedText = problem, note, r.text()
}

// say sets the problem or the note of a node. It returns false if the node has no row.
func (f *Form) say(n *schema.Node, problem, note string) bool {
	i := f.find(n, value)
	if i >= 0 {
		f.rows[i].setProblem(problem, note)
	}
	return i >= 0
}

// Set fills in the value of a node, as if the user had typed it. It returns false if the node has
// no row, or no such option.
func (f *Form) Set(n *schema.Node, text string) bool {
	i := f.find(n, value)
	return i >= 0 && f.rows[i].kind != heading && f.fill(f.rows[i], text)
}

func (f *Form) fill(r *row, text string) bool {
	if r.isTyped() {
		r.buf.SetValue(text)
		r.fresh = false
		text = r.buf.Value()
	} else if text != "" && !r.fits(text) {
		return false
	}
	f.write(r, text)
	return true
}

// focused returns the row with the focus, or nil in an empty form.
func (f *Form) focused() *row {
	if len(f.rows) == 0 {
		return nil
	}
	return f.rows[f.focus]
}

// Node returns the node of the focused row, even if the row is for the name of the node. It returns
// nil in an empty form.
func (f *Form) Node() *schema.Node {
	if r := f.focused(); r != nil {
		return r.node
	}
	return nil
}

func (f *Form) focusOn(n *schema.Node, p usage) bool {
	i := f.find(n, p)
	if i >= 0 {
		f.focus = i
	}
	return i >= 0
}

// find returns the index of the row for a usage of a node, or -1.
func (f *Form) find(n *schema.Node, p usage) int {
	return slices.IndexFunc(f.rows, func(r *row) bool { return r.node == n && r.usage == p })
}
