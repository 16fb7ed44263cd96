package replay

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/diff"
	"mcptea/session/store"
)

// Pair is a request of one recording and the same request of another one; nil where
// the other has none.
type Pair struct{ Old, New *Turn }

// align pairs the requests of two recordings: those with the same params first, then
// those whose params differ in what varies from run to run, then those that name the
// same tool, prompt or resource. Equal requests are paired in their order. The pairs
// are in the order of the new recording, with a request that only the old one has
// behind those that it followed.
func align(old, now *Transcript) ([]Pair, error) {
	a, b := old.requests(), now.requests()
	known, match := newMatching(index{}), make([]int, len(b))
	for i, turn := range a {
		for level, key := range turn.Keys {
			known.add(i, level, key)
		}
	}
	for i := range match {
		match[i] = -1
	}
	for level := range levels + 1 {
		if level == levels {
			if err := known.addSubjects(old, a); err != nil {
				return nil, err
			}
		}
		for i, turn := range b {
			if match[i] >= 0 {
				continue
			}
			key, err := now.keyOf(turn, level)
			if err != nil {
				return nil, err
			}
			if at, isUsed, ok := known.find(level, key); ok && !isUsed {
				match[i], known.used[at] = at, true
			}
		}
	}
	return merge(a, b, match, known.used), nil
}

// addSubjects adds the turns that are not matched yet by what they name.
func (m *matching) addSubjects(t *Transcript, turns []*Turn) error {
	for i, turn := range turns {
		if m.used[i] {
			continue
		}
		key, err := t.keyOf(turn, levels)
		if err != nil {
			return err
		}
		m.add(i, levels, key)
	}
	return nil
}

func merge(a, b []*Turn, match []int, taken map[int]bool) []Pair {
	pairs := make([]Pair, 0, max(len(a), len(b)))
	next := 0
	onlyOld := func(end int) {
		for ; next < end; next++ {
			if !taken[next] {
				pairs = append(pairs, Pair{Old: a[next]})
			}
		}
	}
	for i, turn := range b {
		p := Pair{New: turn}
		if match[i] >= 0 {
			onlyOld(match[i])
			p.Old = a[match[i]]
		}
		pairs = append(pairs, p)
	}
	onlyOld(len(a))
	return pairs
}

// requests are the turns that are requests.
func (t *Transcript) requests() []*Turn {
	var all []*Turn
	for i := range t.Turns {
		if t.Turns[i].IsRequest {
			all = append(all, &t.Turns[i])
		}
	}
	return all
}

// keyOf returns the key of a turn on a level; the one after [levels] has the method and the
// tool, prompt or resource.
func (t *Transcript) keyOf(turn *Turn, level int) (uint64, error) {
	if level < levels {
		return turn.Keys[level], nil
	}
	params, err := t.Params(turn.Row)
	if err != nil {
		return 0, err
	}
	hash, _ := diff.Hash([]byte("[" + string(jsonrpc.StringID(turn.Method)) + "," + string(jsonrpc.StringID(subjectOf(params))) + "]"))
	return hash, nil
}

// subjectOf is the tool, prompt or resource that the params of a request name; empty
// without one.
func subjectOf(params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	return jsonrpc.Text(params, "uri")
}

// HasResponse reports whether the recording has a response to the request.
func (t *Turn) HasResponse() bool { return t.Response != store.None }
