package schemaform

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/schema"
	"mcptea/ui/widget/form"
)

// Key is a key in the form; false when it meant nothing there. See [form.Form.Key].
func (d *Draft) Key(k tea.KeyPressMsg) bool {
	before := d.Form.Version()
	id := d.Form.Focused()
	taken := d.Form.Key(k)
	if d.gesture(id) {
		return true
	}
	d.changed(id, before)
	return taken
}

// Click is a click on a cell of the form as it was painted last.
func (d *Draft) Click(x, y int) {
	before := d.Form.Version()
	d.Form.Click(x, y)
	id := d.Form.Focused()
	if !d.gesture(id) {
		d.changed(id, before)
	}
}

// Paste is text that is pasted into the field with the focus.
func (d *Draft) Paste(text string) {
	before := d.Form.Version()
	id := d.Form.Focused()
	d.Form.Paste(text)
	d.changed(id, before)
}

// FillExample writes the example of the field with the focus as its text; false without
// one.
func (d *Draft) FillExample() bool {
	before := d.Form.Version()
	filled := d.Form.Fill()
	d.changed(d.Form.Focused(), before)
	return filled
}

// Set fills in a field, as if it had been typed.
func (d *Draft) Set(id, text string) {
	before := d.Form.Version()
	d.Form.Set(id, text)
	d.changed(id, before)
}

// changed takes what was filled in to a field into the tree, and the alternative that was
// chosen in it, when it is one.
func (d *Draft) changed(id string, before int) {
	if d.Form.Version() == before {
		return
	}
	n := d.node(id)
	if n == nil {
		n = d.Tree.ByKey(id)
	}
	wasSet := setAround(n)
	d.take(id)
	d.preview(n)
	switch {
	case n == nil:
	case n.Shape == schema.Union && !n.AsJSON:
		text := d.Form.Values()[id]
		at := -1
		for i, label := range n.Options {
			if label == text {
				at = i
			}
		}
		if at != n.Selected {
			d.Tree.Select(n, at)
			d.show()
		}
	case n.Null || n.Empty, setAround(n) != wasSet:
		d.show()
		d.preview(n)
	}
}

// setAround counts the values around a node that are sent.
func setAround(n *schema.Node) (count int) {
	if n == nil {
		return 0
	}
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.IsSet() {
			count++
		}
	}
	return count
}

// gesture does what a key or a click asked of a heading.
func (d *Draft) gesture(id string) bool {
	g := d.Form.Gesture()
	if g == form.NoGesture {
		return false
	}
	if n := d.Tree.ByAdd(id); n != nil {
		if g == form.ToggleGroup || g == form.AddToGroup || g == form.OpenGroup {
			d.add(n)
		}
		return true
	}
	n := d.Tree.Node(id)
	if n == nil {
		return true
	}
	switch {
	case g == form.AddToGroup, g == form.ToggleGroup && n.Shape == schema.Array && len(n.Children) == 0:
		d.add(n)
		return true
	case g == form.ClearGroup && n.Item() == n:
		d.RemoveItem()
		return true
	case g == form.ClearGroup:
		d.Tree.Unset(n)
	case g == form.OpenGroup, g == form.ToggleGroup && !n.Open:
		d.Tree.Unfold(n)
		if n.Shape == schema.Object && len(n.Children) == 0 && n.Adds() {
			d.add(n)
			return true
		}
	default:
		d.Tree.Fold(n)
	}
	d.show()
	return true
}

// add adds to an object or array and goes to the new field.
func (d *Draft) add(n *schema.Node) {
	added := d.Tree.Add(n)
	d.show()
	if added == nil {
		return
	}
	if !added.Entry || !d.Form.Focus(added.KeyID()) {
		d.Form.Focus(added.ID)
	}
}

// focused is the node of the field with the focus, also of the name of an entry.
func (d *Draft) focused() *schema.Node {
	id := d.Form.Focused()
	if n := d.Tree.ByKey(id); n != nil {
		return n
	}
	if n := d.Tree.ByAdd(id); n != nil {
		return n
	}
	return d.node(id)
}

// CanAdd reports whether there is a list or a map around the focus that takes one more.
func (d *Draft) CanAdd() bool { return d.around() != nil }

func (d *Draft) around() *schema.Node {
	n := d.focused()
	for n != nil && !n.Adds() {
		n = n.Parent()
	}
	if n == d.Tree.Root() && n != nil && n.Shape != schema.Object {
		return nil
	}
	return n
}

// AddItem adds an item or a member to the nearest list or map around the focus. It
// returns why that is not possible.
func (d *Draft) AddItem() (why string) {
	n := d.around()
	if n == nil {
		return "there is no list or map here"
	}
	d.add(n)
	return ""
}

// RemoveItem removes the item or the member around the focus. It returns why that is
// not possible.
func (d *Draft) RemoveItem() (why string) {
	n := d.focused().Item()
	if n == nil {
		return "there is no item here"
	}
	i, parent := n.Index(), n.Parent()
	d.Tree.Remove(n)
	d.show()
	if left := parent.Children; len(left) > 0 {
		d.Form.Focus(left[min(i, len(left)-1)].ID)
	}
	return ""
}

// MoveItem moves the item or the member around the focus by a number of places. It
// returns why that is not possible.
func (d *Draft) MoveItem(by int) (why string) {
	n := d.focused().Item()
	if n == nil {
		return "there is no item here"
	}
	if !d.Tree.Move(n, by) {
		return "the item is at the end"
	}
	d.show()
	return ""
}

// CycleEmpty goes through what the field with the focus can be without a text: not
// sent, empty, null. It returns why that is not possible.
func (d *Draft) CycleEmpty() (why string) {
	n := d.focused()
	if n == nil || n.Parent() == nil {
		return "there is no value here"
	}
	note := d.Tree.CycleEmpty(n)
	d.show()
	d.Form.SetNote(n.ID, note)
	return ""
}

// ToggleValueJSON edits the value with the focus as JSON, or as fields again. It
// returns why that is not possible.
func (d *Draft) ToggleValueJSON() (why string) {
	n := d.focused()
	if n == nil || n.Parent() == nil || n.Parent().Parent() == nil && n.Parent().Shape == schema.Union {
		return "there is no value here"
	}
	why = d.Tree.ToggleJSON(n)
	d.show()
	return why
}
