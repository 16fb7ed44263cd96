package relay

import (
	"cmp"
	"maps"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/signal"
)

// call is a request of the host.
type call struct {
	id           jsonrpc.ID
	method       string
	frame        []byte // frame of a request that is repeated, or whose response is remembered
	uri          string
	server       int // server that received it over HTTP, or 0 before
	order        int64
	acknowledged bool // subscriptions/listen
}

// lasts reports whether nothing waits for the response.
func (c *call) lasts() bool { return revision.Lasts(c.method) }

// isCarried reports whether a request may be sent to the next server, too, because the old server cannot have
// executed it.
func (c *call) isCarried() bool {
	return c.method == "initialize" || c.method == "server/discover" || c.lasts()
}

// calls are the requests of the host without a response.
type calls struct {
	byID    map[jsonrpc.Key]*call // pending calls; at most maxPending
	lasting int                   // number of calls that nothing waits for
	ended   uint64                // number of other forgotten requests, without the requests that connect
	settled signal.Signal         // wakes when a call has ended
}

// get returns the request with an id, or nil.
func (c *calls) get(id jsonrpc.Token) *call {
	found, _ := jsonrpc.Lookup(c.byID, id)
	return found
}

// withID returns the request with an id, or nil.
func (c *calls) withID(id jsonrpc.ID) *call { return c.byID[id.Key()] }

// is reports whether this request, and not a later one with its id, is pending.
func (c *calls) is(one *call) bool { return c.withID(one.id) == one }

// isFull reports whether there is no room for another request.
func (c *calls) isFull() bool { return len(c.byID) >= maxPending }

// add adds a request if there is room. A batch may have more requests, which are forwarded.
func (c *calls) add(one *call) {
	if c.forget(c.withID(one.id)); c.isFull() {
		return
	}
	c.byID[one.id.Key()] = one
	if one.lasts() {
		c.lasting++
	}
}

// remove removes the request with an id, and returns it, or nil.
func (c *calls) remove(id jsonrpc.Token) *call {
	found := c.get(id)
	c.forget(found)
	return found
}

// forget removes a request that is there, or nothing for nil.
func (c *calls) forget(one *call) {
	if one == nil {
		return
	}
	delete(c.byID, one.id.Key())
	if one.lasts() {
		c.lasting--
	}
	if !one.isCarried() {
		c.ended++
		c.settled.Notify()
	}
}

// running returns the number of requests that the host waits for.
func (c *calls) running() int { return len(c.byID) - c.lasting }

// inOrder returns the requests in the order of their arrival.
func (c *calls) inOrder() []*call {
	return slices.SortedFunc(maps.Values(c.byID), func(a, b *call) int { return cmp.Compare(a.order, b.order) })
}
