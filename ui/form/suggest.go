package form

import (
	"slices"
	"strings"

	"mcptea/internal/schema"
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
func (f *Form) Suggestions() []string {
	r := f.focused()
	if f.AsJSON || r == nil || r.usage != value || r.kind != oneLine {
		return nil
	}
	n := r.node
	all := f.used[pathOf(n)]
	if n.Field.Kind == schema.Enum {
		all = n.Labels()
	}
	typed := strings.ToLower(n.Text)
	var found []string
	for _, text := range all {
		if low := strings.ToLower(text); strings.Contains(low, typed) && low != typed {
			if found = append(found, text); len(found) == maxSuggestions {
				break
			}
		}
	}
	return found
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
func (f *Form) use() {
	if f.AsJSON {
		return
	}
	for n := range f.Tree.Leaves {
		if n.Text == "" || len(n.Text) > maxUsedBytes || !n.IsTouched() || n.AsJSON {
			continue
		}
		if f.used == nil {
			f.used = map[string][]string{}
		}
		path := pathOf(n)
		was := slices.DeleteFunc(f.used[path], func(s string) bool { return s == n.Text })
		f.used[path] = append([]string{n.Text}, was[:min(len(was), maxUsed-1)]...)
	}
}
