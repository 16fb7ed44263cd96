package changes

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/offer/diff"
)

// difference is an entry that differs between two states of a list: before is the key that it had, if
// it has another one now.
type difference struct {
	key, before string
	kind        diff.Kind
}

// differing returns the entries of a list that differ between two states, in no order.
func differing(name string, old, now map[string][]byte) (all []difference) {
	gone, came := map[string][]byte{}, map[string][]byte{}
	for key, a := range old {
		if b, ok := now[key]; !ok {
			gone[key] = a
		} else if !jsonrpc.Equal(a, b) {
			all = append(all, difference{key: key, kind: diff.Changed})
		}
	}
	for key, b := range now {
		if _, ok := old[key]; !ok {
			came[key] = b
		}
	}
	if len(gone) > 0 && len(came) > 0 {
		for was, is := range renames(name, gone, came) {
			all = append(all, difference{key: is, before: was, kind: diff.Changed})
			delete(gone, was)
			delete(came, is)
		}
	}
	for key := range gone {
		all = append(all, difference{key: key, kind: diff.Removed})
	}
	for key := range came {
		all = append(all, difference{key: key, kind: diff.Added})
	}
	return all
}

// renames pairs entries that went with those that came: first those that are equal but for the name,
// then tools and prompts with the same arguments, at least one, then those with the same description.
// A pair is one only if exactly one of each side fits.
func renames(name string, gone, came map[string][]byte) map[string]string {
	list, _ := revision.ListNamed(name)
	pairs := map[string]string{}
	pair := func(sum func(raw []byte) (uint64, bool)) {
		by := func(side map[string][]byte, isPaired func(key string) bool) map[uint64][]string {
			keys := map[uint64][]string{}
			for key, raw := range side {
				if hash, ok := sum(raw); ok && !isPaired(key) {
					keys[hash] = append(keys[hash], key)
				}
			}
			return keys
		}
		taken := map[string]bool{}
		for _, is := range pairs {
			taken[is] = true
		}
		before := by(gone, func(key string) bool { return pairs[key] != "" })
		after := by(came, func(key string) bool { return taken[key] })
		for hash, was := range before {
			if is := after[hash]; len(was) == 1 && len(is) == 1 {
				pairs[was[0]] = is[0]
			}
		}
	}
	pair(func(raw []byte) (uint64, bool) { return jsonrpc.Hash(raw, list.Key) })
	if name != revision.Tools.Name && name != revision.Prompts.Name {
		return pairs
	}
	pair(func(raw []byte) (uint64, bool) {
		arguments := jsonrpc.Get(raw, "arguments")
		if name == revision.Tools.Name {
			arguments = jsonrpc.Get(raw, "inputSchema", "properties")
			raw = jsonrpc.Get(raw, "inputSchema")
		} else {
			raw = arguments
		}
		if jsonrpc.Count(arguments) == 0 {
			return 0, false
		}
		return jsonrpc.Hash(raw)
	})
	pair(func(raw []byte) (uint64, bool) {
		if jsonrpc.Text(raw, "description") == "" {
			return 0, false
		}
		return jsonrpc.Hash(jsonrpc.Get(raw, "description"))
	})
	return pairs
}
