package diff

import "mcptea/client/jsonrpc"

// match is a member of two objects, or an element of two lists, that has the same name
// in both. The value that is missing on a side is nil.
type match struct {
	name     string
	old, now []byte
}

func (m match) kind() Kind { return kindOf(m.old, m.now) }

func kindOf(old, now []byte) Kind {
	switch {
	case old == nil:
		return Added
	case now == nil:
		return Removed
	}
	return Changed
}

// named is a value with its name.
type named struct {
	name  string
	value []byte
}

// membersOf matches the members of two objects: those of the old one in its order, and
// then those that only the new one has.
func membersOf(old, now []byte) []match { return matched(keywordsOf(old), keywordsOf(now)) }

// entriesOf matches the elements of two lists by the member that identifies them.
func entriesOf(old, now [][]byte, key string) []match {
	name := func(list [][]byte) []named {
		out := make([]named, len(list))
		for i, e := range list {
			out[i] = named{jsonrpc.Text(e, key), e}
		}
		return out
	}
	return matched(name(old), name(now))
}

// matched matches each value with the first one of its name on the other side.
func matched(old, now []named) []match {
	before, after := map[string]bool{}, map[string][]byte{}
	for _, b := range now {
		if _, twice := after[b.name]; !twice {
			after[b.name] = b.value
		}
	}
	var all []match
	for _, a := range old {
		before[a.name] = true
		all = append(all, match{a.name, a.value, after[a.name]})
	}
	for _, b := range now {
		if !before[b.name] {
			all = append(all, match{b.name, nil, b.value})
		}
	}
	return all
}
