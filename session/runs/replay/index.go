package replay

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// levels is the number of levels at which messages are compared. On the first level, everything
// counts except progress tokens. On the second, _meta does not count. On the third, cursors and ids
// and states of requests do not count, and only the method of initialize and server/discover
// counts. On the last, only the method and the tool, prompt or resource count.
const (
	levels    = 4
	bySubject = levels - 1
)

// keysOf returns [Turn.Keys] of a message.
func keysOf(method string, params []byte) (keys [levels]uint64) {
	name := jsonrpc.Quote(method)
	if len(params) == 0 {
		params = []byte("{}")
	}
	whole := []byte("[" + name + "," + string(params) + "]")
	keys[1], _ = jsonrpc.Hash(whole, "_meta")
	if keys[0] = keys[1]; hasMeta(params) {
		keys[0], _ = jsonrpc.Hash(whole, "progressToken")
	}
	if revision.IsHandshake(method) {
		whole = []byte("[" + name + "]")
	}
	keys[2], _ = jsonrpc.Hash(whole, "_meta", "cursor", "requestId", "requestState")
	keys[bySubject], _ = jsonrpc.Hash([]byte("[" + name + "," + jsonrpc.Quote(subjectOf(params)) + "]"))
	return keys
}

// hasMeta reports whether _meta has more than a progress token.
func hasMeta(params []byte) bool {
	meta, _ := jsonrpc.Member(params, "_meta")
	for name := range jsonrpc.Members(meta) {
		if string(name) != "progressToken" {
			return true
		}
	}
	return false
}

// levelKey is a key of [Turn.Keys].
type levelKey struct {
	level int
	key   uint64
}

// index are the numbers of turns by their keys, in their order.
type index map[levelKey][]int

func newIndex(turns []Turn) index {
	x := index{}
	for i := range turns {
		for level, key := range turns[i].Keys {
			at := levelKey{level, key}
			x[at] = append(x[at], i)
		}
	}
	return x
}

// matching matches messages with those of an index. Each message of the index is used once while
// there are unused ones.
type matching struct {
	index
	used map[int]bool
	next map[levelKey]int // next turn to use by key; earlier ones are used
}

func newMatching(x index) *matching {
	return &matching{x, map[int]bool{}, map[levelKey]int{}}
}

// find returns the first unused message with the key, or else the last one, with isUsed.
func (m *matching) find(level int, key uint64) (i int, isUsed, ok bool) {
	at := levelKey{level, key}
	group, n := m.index[at], m.next[at]
	if len(group) == 0 {
		return 0, false, false
	}
	for n < len(group) && m.used[group[n]] {
		n++
	}
	m.next[at] = n
	if n == len(group) {
		return group[n-1], true, true
	}
	return group[n], false, true
}
