package stateless

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

// wish is one thing that a filter of subscriptions/listen asks for: a kind of
// change, or one of a list.
type wish struct {
	member string
	value  string // empty for a kind
}

func (w wish) String() string {
	if w.value == "" {
		return rule.Escaped(w.member)
	}
	return rule.Escaped(w.member) + " " + rule.Quoted(w.value)
}

type wishList []wish

// wishes takes a filter apart. What is false or of no known form asks for
// nothing.
func wishes(filter []byte) wishList {
	var list wishList
	for name, value := range jsonrpc.Members(filter) {
		switch {
		case string(value) == "true":
			list = append(list, wish{member: string(name)})
		case rule.Kind(value) == "array":
			for v := range jsonrpc.Elements(value) {
				text, ok := jsonrpc.Unquote(v)
				if !ok {
					text = string(v)
				}
				list = append(list, wish{string(name), text})
			}
		}
	}
	return list
}

// without are the wishes that another list lacks.
func (l wishList) without(other wishList) wishList {
	has := make(map[wish]bool, len(other))
	for _, w := range other {
		has[w] = true
	}
	var rest wishList
	for _, w := range l {
		if !has[w] {
			rest = append(rest, w)
		}
	}
	return rest
}

// String names the first few.
func (l wishList) String() string {
	names := make([]string, len(l))
	for i, w := range l {
		names[i] = w.String()
	}
	return rule.JoinFirst(names, 5)
}
