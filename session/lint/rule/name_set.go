package rule

// MaxNesting bounds the depth of members that are checked. Each level is scanned
// once more, so the bound keeps the time linear.
const MaxNesting = 32

// Keep puts a value into a map that a rule keeps. A map that has too many is emptied
// before.
func Keep[M ~map[K]V, K comparable, V any](m *M, most int, key K, value V) {
	if *m == nil || len(*m) >= most {
		*m = M{}
	}
	(*m)[key] = value
}

// NameSet is a set of names that were seen.
type NameSet struct{ seen map[string]struct{} }

// Seen reports whether a name was there before, and adds it.
func (n *NameSet) Seen(name []byte) bool {
	if _, twice := n.seen[string(name)]; twice {
		return true
	}
	if n.seen == nil {
		n.seen = map[string]struct{}{}
	}
	n.seen[string(name)] = struct{}{}
	return false
}
