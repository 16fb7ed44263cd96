package form

import (
	"encoding/json"
	"strings"

	"mcptea/internal/schema"
)

// Text that is typed or pasted on the row of a list starts an item, so that no letter is lost.

// isAdder reports whether a row adds to a list or map: the last row, or the only row of an empty
// list.
func (r *row) isAdder() bool {
	return r.usage == adder || r.node.Shape == schema.Array && len(r.node.Children) == 0
}

// list returns the list or the map that a row can add to, or nil.
func (r *row) list() *schema.Node {
	if r.kind != heading || !r.isAdder() || !r.node.Adds() {
		return nil
	}
	return r.node
}

// startItem adds an item to the list of a row and moves the focus there. It returns false if the
// typed text cannot start an item. A digit is the key of a tab, so it cannot start an item that is
// a number.
func (f *Form) startItem(r *row, text string) bool {
	n := r.list()
	return n != nil && !isDigit(text) && f.addTyped(n, func(item *row) bool { return !isNumeric(item.node) })
}

// addTyped adds an item to a list and moves the focus there. It returns false and adds nothing if
// an item is not filled in by typing, or if fits rejects it.
func (f *Form) addTyped(n *schema.Node, fits func(item *row) bool) bool {
	before := f.focus
	added := f.Tree.Add(n)
	if added == nil {
		return false
	}
	f.reshaped()
	if (f.focusOn(added, entryName) || f.focusOn(added, value)) && f.focused().isTyped() && fits(f.focused()) {
		return true
	}
	f.Tree.Remove(added)
	f.reshaped()
	f.focus = before
	return false
}

func isNumeric(n *schema.Node) bool {
	return n.Field.Kind == schema.Number || n.Field.Kind == schema.Integer
}

// pasteItems adds an item for each value of a JSON array, or for each line of another text.
func (f *Form) pasteItems(r *row, text string) {
	n := r.list()
	if n == nil || n.Shape != schema.Array {
		r.setProblem("", "This row takes no text: "+r.hint()+".")
		return
	}
	for _, item := range itemsOf(text) {
		if !f.addTyped(n, func(*row) bool { return true }) {
			r.setProblem("", "Not all of the pasted text is in the list: alt+v takes JSON.")
			return
		}
		f.fill(f.focused(), item)
	}
}

// itemsOf returns the values of a JSON array, with strings unquoted. It returns the nonempty lines of any other text.
func itemsOf(text string) (items []string) {
	var values []json.RawMessage
	if json.Unmarshal([]byte(text), &values) == nil {
		for _, v := range values {
			var s string
			if json.Unmarshal(v, &s) != nil {
				s = string(v)
			}
			items = append(items, s)
		}
		return items
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			items = append(items, line)
		}
	}
	return items
}
