package stateless

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

// filterEntry is one entry of the filter of subscriptions/listen: a kind of
// change, or one value of a list.
type filterEntry struct {
	member string
	value  string // empty for a kind
}

func (w filterEntry) String() string {
	if w.value == "" {
		return rule.Escaped(w.member)
	}
	return rule.Escaped(w.member) + " " + rule.Quoted(w.value)
}

type filterEntries []filterEntry

// parseFilter returns the entries of a filter, without those that are false or of
// unknown form.
func parseFilter(filter []byte) filterEntries {
	var list filterEntries
	for name, value := range jsonrpc.Members(filter) {
		switch {
		case string(value) == "true":
			list = append(list, filterEntry{member: string(name)})
		case rule.Kind(value) == "array":
			for v := range jsonrpc.Elements(value) {
				text, ok := jsonrpc.Unquote(v)
				if !ok {
					text = string(v)
				}
				list = append(list, filterEntry{string(name), text})
			}
		}
	}
	return list
}

// without returns the entries that another filter lacks.
func (l filterEntries) without(other filterEntries) filterEntries {
	has := make(map[filterEntry]bool, len(other))
	for _, w := range other {
		has[w] = true
	}
	var rest filterEntries
	for _, w := range l {
		if !has[w] {
			rest = append(rest, w)
		}
	}
	return rest
}

// String names the first few.
func (l filterEntries) String() string {
	names := make([]string, len(l))
	for i, w := range l {
		names[i] = w.String()
	}
	return rule.JoinFirst(names, 5)
}
