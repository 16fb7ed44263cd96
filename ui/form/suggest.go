package form

import (
	"slices"
	"strings"

	"mcptea/internal/schema"
)

// limits of the suggestions
const (
	maxUsed        = 20 // maximum number of remembered texts of a field
	maxUsedBytes   = 200
	maxSuggestions = 200
)

// Suggestions returns possible values for the focused field. If the field has many options, these
// are its options, otherwise texts that were sent from it before. Those that contain the typed text
// are first. The number is limited.
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

// pathOf returns the path of a field, which is the same for all items of an array.
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

// use remembers the texts that are sent.
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
