package store

// methodLog is the number of the method notifications/message.
const methodLog = 2

// names maps method names to small numbers.
type names struct {
	list   []string
	known  map[string]uint16
	newest uint16 // number that was assigned last
}

const (
	maxNames  = 4096
	logMethod = "notifications/message"
)

// ManyMethods is the method of a row when a server has used more names than are remembered.
const ManyMethods = "…"

func newNames() names {
	return names{list: []string{"", ManyMethods, logMethod}, known: map[string]uint16{"": 0, logMethod: methodLog}}
}

func (n *names) index(name []byte) uint16 {
	if string(name) != n.list[n.newest] {
		n.newest = n.find(name)
	}
	return n.newest
}

func (n *names) find(name []byte) uint16 {
	if i, ok := n.known[string(name)]; ok {
		return i
	}
	if len(n.list) == maxNames || len(name) > 256 {
		return 1
	}
	i := uint16(len(n.list))
	n.list = append(n.list, string(name))
	n.known[string(name)] = i
	return i
}
