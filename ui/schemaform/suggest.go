package schemaform

import (
	"slices"
	"strings"

	"mcptea/session/schema"
)

// The bounds of what is suggested.
const (
	maxUsed        = 20 // texts of one field
	maxUsedBytes   = 200
	maxSuggestions = 200
)

// Suggestions returns what could be filled into the field with the focus: its options
// when there are many, else the texts that were sent from it before. Those that contain
// what is typed come first, of the rest none.
func (d *Draft) Suggestions() []string {
	if d.AsJSON {
		return nil
	}
	n := d.Tree.Node(d.Form.Focused())
	if n == nil || n.Shape != schema.Leaf || n.AsJSON {
		return nil
	}
	all := d.used[pathOf(n)]
	if n.Field.Kind == schema.Enum {
		if !d.Filters || len(n.Field.Options) <= maxChoice {
			return nil
		}
		all = n.Labels()
	} else if n.Field.Kind != schema.String && n.Field.Kind != schema.Number && n.Field.Kind != schema.Integer {
		return nil
	}
	typed := strings.ToLower(d.Form.Value(n.ID))
	var found []string
	for i, low := range d.lower(n, all) {
		if strings.Contains(low, typed) && low != typed {
			if found = append(found, all[i]); len(found) == maxSuggestions {
				break
			}
		}
	}
	return found
}

// lower are texts in lower case, kept for a list of options.
func (d *Draft) lower(n *schema.Node, all []string) []string {
	if n.Field.Kind == schema.Enum && d.lowerOf == n {
		return d.lowered
	}
	d.lowerOf, d.lowered = n, make([]string, len(all))
	for i, text := range all {
		d.lowered[i] = strings.ToLower(text)
	}
	return d.lowered
}

// pathOf is the path of a field, the same for all items of an array.
func pathOf(n *schema.Node) string {
	path := ""
	for ; n != nil; n = n.Parent() {
		name := n.Name
		if n.IsItem() || n.Entry {
			name = "*"
		}
		path = name + "/" + path
	}
	return path
}

// use notes the texts that are sent.
func (d *Draft) use() {
	if d.AsJSON {
		return
	}
	for n := range d.Tree.Leaves {
		if n.Text == "" || len(n.Text) > maxUsedBytes || !n.IsTouched() || n.AsJSON {
			continue
		}
		if d.used == nil {
			d.used = map[string][]string{}
		}
		path := pathOf(n)
		was := slices.DeleteFunc(d.used[path], func(s string) bool { return s == n.Text })
		d.used[path] = append([]string{n.Text}, was[:min(len(was), maxUsed-1)]...)
	}
}
