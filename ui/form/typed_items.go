package form

import (
	"encoding/json"
	"strings"

	"mcptea/internal/schema"
)

// What is typed or pasted on the row of a list begins its items, so that no letter is lost.

// list is the list or the map to which a row adds: the one that it is the last row of, or its own empty list; nil for other
// rows.
func (r *row) list() *schema.Node {
	if r.kind != heading || !r.node.Adds() {
		return nil
	}
	if r.usage == adder || r.node.Shape == schema.Array && len(r.node.Children) == 0 {
		return r.node
	}
	return nil
}

// startItem adds an item to the list of a row for a text that is typed there, if the text can begin one. A digit is the key
// of a tab, and a number begins with nothing else. The focus is in the item then.
func (f *Form) startItem(r *row, text string) bool {
	n := r.list()
	return n != nil && !isDigit(text) && f.addTyped(n, func(item *row) bool { return !isNumeric(item.node) })
}

// addTyped adds an item that is typed in a row to a list, and moves the focus there. It reports false, and adds nothing,
// where the items are not typed or fits reports false.
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
		r.said("", "This row takes no text: "+r.hint()+".")
		return
	}
	for _, item := range itemsOf(text) {
		if !f.addTyped(n, func(*row) bool { return true }) {
			r.said("", "Not all of the pasted text is in the list: alt+v takes JSON.")
			return
		}
		f.fill(f.focused(), item)
	}
}

// itemsOf are the values of a JSON array, strings without their quotation marks; else the lines of a text, without empty
// ones.
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
