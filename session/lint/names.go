package lint

// maxNested bounds how deep members are looked at: each level is read once
// more, so that the time stays linear in the frame.
const maxNested = 32

// names is a set of names that were seen.
type names struct{ seen map[string]struct{} }

// has reports whether a name was there before, and adds it.
func (n *names) has(name []byte) bool {
	if _, twice := n.seen[string(name)]; twice {
		return true
	}
	if n.seen == nil {
		n.seen = map[string]struct{}{}
	}
	n.seen[string(name)] = struct{}{}
	return false
}
