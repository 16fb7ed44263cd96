package diff

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Rename is an entry that probably replaces one with another name. It is a guess.
type Rename struct {
	To  string
	Why string // what the two have in common, in a few words
}

// Renames pairs removed entries with added ones by name. First it pairs entries that are equal
// except for the name, then tools and prompts with the same arguments, at least one, then entries
// with the same description. An entry is paired only if exactly one entry on each side matches.
func Renames(name string, gone, came map[string][]byte) map[string]Rename {
	list, _ := revision.ListNamed(name)
	pairs := map[string]Rename{}
	pair := func(why string, sum func(raw []byte) (uint64, bool)) {
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
			taken[is.To] = true
		}
		before := by(gone, func(key string) bool { return pairs[key].To != "" })
		after := by(came, func(key string) bool { return taken[key] })
		for hash, was := range before {
			if is := after[hash]; len(was) == 1 && len(is) == 1 {
				pairs[was[0]] = Rename{is[0], why}
			}
		}
	}
	pair("equal except for the name", func(raw []byte) (uint64, bool) { return jsonrpc.Hash(raw, list.Key) })
	if name != revision.Tools.Name && name != revision.Prompts.Name {
		return pairs
	}
	pair("the same arguments", func(raw []byte) (uint64, bool) {
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
	pair("the same description", func(raw []byte) (uint64, bool) {
		if jsonrpc.Text(raw, "description") == "" {
			return 0, false
		}
		return jsonrpc.Hash(jsonrpc.Get(raw, "description"))
	})
	return pairs
}

// renamesIn returns the renames among the matched entries of a list, by the old name and by the new name.
func renamesIn(section string, entries []match) (of, from map[string]Rename) {
	gone, came, times := map[string][]byte{}, map[string][]byte{}, map[string]int{}
	for _, m := range entries {
		times[m.name]++
	}
	for _, m := range entries {
		switch {
		case m.name == "" || times[m.name] > 1: // a name that occurs twice is ambiguous
		case m.now == nil:
			gone[m.name] = m.old
		case m.old == nil:
			came[m.name] = m.now
		}
	}
	if len(gone) == 0 || len(came) == 0 {
		return nil, nil
	}
	of, from = Renames(section, gone, came), map[string]Rename{}
	for was, is := range of {
		from[is.To] = Rename{was, is.Why}
	}
	return of, from
}
