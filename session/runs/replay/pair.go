package replay

import (
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// Pair is a request of one recording and the same request of another recording, or nil if the other
// recording lacks it.
type Pair struct{ Old, New *Turn }

// align pairs the requests of two recordings. First it pairs requests with the same params, then
// requests whose params differ in values that vary from run to run, then requests for the same
// tool, prompt or resource. Equal requests are paired in order. The pairs have the order of the new
// recording. A request that only the old recording has follows the requests after which it was
// sent.
func align(old, now *Transcript) []Pair {
	a, b := old.Turns, now.Turns
	known, match := newMatching(newIndex(a)), make([]int, len(b))
	for i := range match {
		match[i] = -1
	}
	for level := range levels {
		for i := range b {
			if match[i] >= 0 || !b[i].IsRequest {
				continue
			}
			if at, isUsed, ok := known.find(level, b[i].Keys[level]); ok && !isUsed {
				match[i], known.used[at] = at, true
			}
		}
	}
	return merge(a, b, match, known.used)
}

func merge(a, b []Turn, match []int, taken map[int]bool) []Pair {
	pairs := make([]Pair, 0, max(len(a), len(b)))
	next := 0
	onlyOld := func(end int) {
		for ; next < end; next++ {
			if !taken[next] && a[next].IsRequest {
				pairs = append(pairs, Pair{Old: &a[next]})
			}
		}
	}
	for i := range b {
		if !b[i].IsRequest {
			continue
		}
		p := Pair{New: &b[i]}
		if match[i] >= 0 {
			onlyOld(match[i])
			p.Old = &a[match[i]]
		}
		pairs = append(pairs, p)
	}
	onlyOld(len(a))
	return pairs
}

// subjectOf returns the tool, prompt or resource that the params of a request name, or empty.
func subjectOf(params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	return jsonrpc.Text(params, "uri")
}

// hasResponse reports whether the recording has a response to the request.
func (t *Turn) hasResponse() bool { return t.Response != store.None }
