package changes

import (
	"mcptea/client/jsonrpc"
	"mcptea/offer/diff"
)

// A difference is an entry that differs between two states of a list. before is its former key, if the key has
// changed.
type difference struct {
	key, before string
	kind        diff.Kind
}

// differing returns the entries of a list that differ between two states, in no order.
func differing(name string, old, now map[string][]byte) (all []difference) {
	removed, came := map[string][]byte{}, map[string][]byte{}
	for key, a := range old {
		if b, ok := now[key]; !ok {
			removed[key] = a
		} else if !jsonrpc.Equal(a, b) {
			all = append(all, difference{key: key, kind: diff.Changed})
		}
	}
	for key, b := range now {
		if _, ok := old[key]; !ok {
			came[key] = b
		}
	}
	if len(removed) > 0 && len(came) > 0 {
		for was, is := range diff.Renames(name, removed, came) {
			all = append(all, difference{key: is.To, before: was, kind: diff.Changed})
			delete(removed, was)
			delete(came, is.To)
		}
	}
	for key := range removed {
		all = append(all, difference{key: key, kind: diff.Removed})
	}
	for key := range came {
		all = append(all, difference{key: key, kind: diff.Added})
	}
	return all
}
