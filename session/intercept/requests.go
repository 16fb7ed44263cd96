package intercept

import (
	"container/list"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// maxRequests bounds the requests that are remembered for the filter of their response.
// Of more, the oldest are forgotten.
const maxRequests = 10_000

// requestKey names a request: the direction is the direction of the request.
type requestKey struct {
	session string
	dir     transport.Direction
	id      jsonrpc.Key
}

// request is the part of a request that filters on its response read.
type request struct {
	key    requestKey
	method string
	tool   string // tool of tools/call, or ""
}

// requests holds the requests without a response. The zero value is empty.
type requests struct {
	byKey map[requestKey]*list.Element
	order list.List // request lists, oldest first
}

func (r *requests) add(of request) {
	if r.byKey == nil {
		r.byKey = map[requestKey]*list.Element{}
	}
	r.remove(of.key)
	r.byKey[of.key] = r.order.PushBack(of)
	if len(r.byKey) > maxRequests {
		r.remove(r.order.Front().Value.(request).key)
	}
}

// remove returns a request and forgets it: it has its response now, or the id is used again.
func (r *requests) remove(key requestKey) request {
	e := r.byKey[key]
	if e == nil {
		return request{}
	}
	delete(r.byKey, key)
	return r.order.Remove(e).(request)
}
