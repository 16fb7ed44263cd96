package transcript

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
	match, taken := make([]int, len(b)), make([]bool, len(a))
	for i := range match {
		match[i] = -1
	}
	pass := func(keyOf func(t *Transcript, turn *Turn) (uint64, error)) error {
		free := map[uint64][]int{}
		for i, turn := range a {
			if taken[i] {
				continue
			}
			key, err := keyOf(old, turn)
			if err != nil {
				return err
			}
			free[key] = append(free[key], i)
		}
		for i, turn := range b {
			if match[i] >= 0 {
				continue
			}
			key, err := keyOf(now, turn)
			if err != nil {
				return err
			}
			if list := free[key]; len(list) > 0 {
				match[i], free[key], taken[list[0]] = list[0], list[1:], true
			}
		}
		return nil
	}
	for level := range Levels {
		_ = pass(func(_ *Transcript, turn *Turn) (uint64, error) { return turn.Keys[level], nil })
	}
	if err := pass((*Transcript).subjectHash); err != nil {
		return nil, err
	}
	return merge(a, b, match, taken), nil
}

func merge(a, b []*Turn, match []int, taken []bool) []Pair {
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

// subjectHash is a hash of the method and of the tool, prompt or resource.
func (t *Transcript) subjectHash(turn *Turn) (uint64, error) {
	params, err := t.Params(turn.Row)
	if err != nil {
		return 0, err
	}
	hash, _ := diff.Hash([]byte("[" + string(jsonrpc.StringID(turn.Method)) + "," + string(jsonrpc.StringID(Subject(params))) + "]"))
	return hash, nil
}

// Subject is the tool, prompt or resource that the params of a request name; empty
// without one.
func Subject(params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	return jsonrpc.Text(params, "uri")
}

// HasResponse reports whether the recording has a response to the request.
func (t *Turn) HasResponse() bool { return t.Response != store.None }
