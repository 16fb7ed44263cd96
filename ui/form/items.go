package form

import (
	"mcptea/internal/schema"
	"mcptea/ui/keys"
)

// A Command is a command of a form.
type Command struct {
	keys.Command
	// Do runs the command, or returns why it cannot.
	Do func(f *Form) (why string)
}

// Commands lists the commands that change the rows.
var Commands = []Command{
	{keys.Command{ID: "item.add", Keys: keys.On("alt+,"), Label: "add item", Help: "Add an item to the list, or a member to the map, around the field", Words: "insert append new element array", Footer: 7}, (*Form).AddItem},
	{keys.Command{ID: "item.remove", Keys: keys.On("alt+-"), Label: "remove item", Help: "Remove the item or member around the field", Words: "delete element array", Footer: 8}, (*Form).RemoveItem},
	{keys.Command{ID: "item.up", Keys: keys.On("alt+up"), Label: "item up", Help: "Move the item before the previous one", Words: "reorder array"}, func(f *Form) string { return f.MoveItem(-1) }},
	{keys.Command{ID: "item.down", Keys: keys.On("alt+down"), Label: "item down", Help: "Move the item after the next one", Words: "reorder array"}, func(f *Form) string { return f.MoveItem(1) }},
	{keys.Command{ID: "field.empty", Keys: keys.On("alt+0"), Label: "empty", Help: "Send nothing, an empty value, or null for the field", Words: "null absent not sent clear unset"}, (*Form).CycleEmpty},
	{keys.Command{ID: "field.json", Keys: keys.On(""), Label: "value as JSON", Help: "Edit the value of the field as JSON, or as fields again", Words: "raw wrong type"}, (*Form).ToggleValueJSON},
}

// Off returns why a command is not available now, or "".
func (c *Command) Off(f *Form) string {
	switch {
	case f.AsJSON:
		return "This works in the form, not in JSON."
	case c.ID == Commands[0].ID && f.around() == nil, c.ID == Commands[1].ID && f.Node().Item() == nil:
		return "This field is not in a list or a map."
	}
	return ""
}

// headingKey handles the keys on a heading. They fold, unfold and clear an object or array, and add
// to it.
func (f *Form) headingKey(r *row, name string) bool {
	n, adds := r.node, r.isAdder()
	switch name {
	case "+", "insert":
		f.add(n)
	case "space", "right":
		switch {
		case r.usage == adder, adds && name == "space":
			f.add(n)
		case name == "space" && n.Open:
			f.Tree.Fold(n)
		default:
			f.Tree.Unfold(n)
			switch {
			case n.Shape == schema.Object && len(n.Children) == 0 && n.Adds():
				f.add(n)
			case name == "space":
				f.enter(n)
				return true
			}
		}
	case "left":
		if r.usage != adder {
			f.Tree.Fold(n)
		}
	case "delete", "backspace":
		switch {
		case r.usage == adder:
		case n.Item() == n:
			f.RemoveItem()
		default:
			f.Tree.Unset(n)
		}
	default:
		return false
	}
	f.reshaped()
	return true
}

// enter displays the rows of an unfolded object or array and moves the focus to its first field.
func (f *Form) enter(n *schema.Node) {
	f.reshaped()
	if len(n.Children) > 0 && !f.focusOn(n.Children[0], entryName) {
		f.focusOn(n.Children[0], value)
	}
}

// reshaped displays the rows again after the user has changed the tree.
func (f *Form) reshaped() {
	f.changed()
	f.show()
}

// add adds an item or member to an object or array and moves the focus to the new row.
func (f *Form) add(n *schema.Node) {
	added := f.Tree.Add(n)
	f.reshaped()
	if added != nil && !f.focusOn(added, entryName) {
		f.focusOn(added, value)
	}
}

// around returns the innermost list or map around the focus that can have another item, or nil.
func (f *Form) around() *schema.Node {
	n := f.Node()
	for n != nil && !n.Adds() {
		n = n.Parent()
	}
	if n == f.Tree.Root() && n != nil && n.Shape != schema.Object {
		return nil
	}
	return n
}

// AddItem adds an item or a member to the innermost list or map around the focus. It returns why it
// cannot, or "".
func (f *Form) AddItem() (why string) {
	n := f.around()
	if n == nil {
		return "there is no list or map here"
	}
	f.add(n)
	return ""
}

// RemoveItem removes the item or the member around the focus. It returns why it cannot, or "".
func (f *Form) RemoveItem() (why string) {
	n := f.Node().Item()
	if n == nil {
		return "there is no item here"
	}
	i, parent := n.Index(), n.Parent()
	f.Tree.Remove(n)
	f.reshaped()
	if left := parent.Children; len(left) > 0 {
		f.focusOn(left[min(i, len(left)-1)], value)
	}
	return ""
}

// MoveItem moves the item or the member around the focus by a number of places. It returns why it
// cannot, or "".
func (f *Form) MoveItem(by int) (why string) {
	n := f.Node().Item()
	if n == nil {
		return "there is no item here"
	}
	if !f.Tree.Move(n, by) {
		return "the item is at the end"
	}
	f.reshaped()
	return ""
}

// CycleEmpty switches the focused value to its next state without a text: not sent, empty, null. It
// returns why it cannot, or "".
func (f *Form) CycleEmpty() (why string) {
	n := f.Node()
	if n == nil || n.Parent() == nil {
		return "there is no value here"
	}
	note := f.Tree.CycleEmpty(n)
	f.reshaped()
	f.say(n, "", note)
	return ""
}

// ToggleValueJSON switches the focused value between fields and JSON. It returns why it cannot, or
// "".
func (f *Form) ToggleValueJSON() (why string) {
	n := f.Node()
	if n == nil || n.Parent() == nil || n.Parent().Parent() == nil && n.Parent().Shape == schema.Union {
		return "there is no value here"
	}
	why = f.Tree.ToggleJSON(n)
	f.reshaped()
	return why
}
