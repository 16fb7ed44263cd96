package intercept

import (
	"slices"

	"mcptea/client/transport"
)

// maxRequests bounds the requests that are remembered for the filter of their response.
// Of more, the oldest are forgotten.
const maxRequests = 10_000

// requestKey names a request: the direction is that of the request.
type requestKey struct {
	session string
	dir     transport.Direction
	id      string
}

// request is the part of a request that filters on its response read.
type request struct {
	method string
	raw    string // the method as it is in the frame, which is what filters compare
	tool   string // of tools/call; empty for others
	number int    // counts the requests
}

// requests are those without a response, the oldest first in order. The zero value is
// empty.
type requests struct {
	byKey  map[requestKey]request
	order  []numbered // with some that are gone
	number int
}

type numbered struct {
	key    requestKey
	number int
}

func (r *requests) has(n numbered) bool {
	of, ok := r.byKey[n.key]
	return ok && of.number == n.number
}

func (r *requests) add(key requestKey, of request) {
	if r.byKey == nil {
		r.byKey = map[requestKey]request{}
	}
	r.number++
	of.number = r.number
	r.order = append(r.order, numbered{key, r.number})
	r.byKey[key] = of
	for len(r.byKey) > maxRequests {
		if r.has(r.order[0]) {
			delete(r.byKey, r.order[0].key)
		}
		r.order = r.order[1:]
	}
	if len(r.order) > 2*maxRequests {
		r.order = slices.Clone(slices.DeleteFunc(r.order, func(n numbered) bool { return !r.has(n) }))
	}
}

// take returns a request, which has its response now.
func (r *requests) take(key requestKey) request {
	of := r.byKey[key]
	delete(r.byKey, key)
	return of
}
