package replay

import (
	"sync"

	"mcptea/client/jsonrpc"
)

// ids holds the ids of requests on the wire: the recorded ids while each is used once on the connection.
type ids struct {
	next  func(used int) jsonrpc.ID // returns more ids, whenever it is called
	fresh bool                      // use no id of the recording, nor a progress token that equals one

	mu     sync.Mutex
	now    map[jsonrpc.Key]jsonrpc.ID // ids on the wire, by the recorded ones
	used   map[jsonrpc.Key]bool       // used ids; at most maxIDs
	beyond int                        // number of ids generated since used reached its bound
}

// maxIDs bounds the ids that are known to be used on a connection: a client that repeats a call has
// the mock send its requests without end. Once it is reached, each request has an id that was made.
const maxIDs = 100_000

func newIDs(next func(used int) jsonrpc.ID) *ids {
	return &ids{next: next, now: map[jsonrpc.Key]jsonrpc.ID{}, used: map[jsonrpc.Key]bool{}}
}

// forget begins a new connection.
func (d *ids) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.now)
	clear(d.used)
	d.beyond = 0
}

// another returns an id that was not used.
func (d *ids) another() jsonrpc.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unused()
}

// unused returns a new id. The caller holds mu.
func (d *ids) unused() jsonrpc.ID {
	for n := len(d.used) + d.beyond; ; n++ {
		if id := d.next(n); !d.used[id.Key()] {
			if d.isFull() {
				d.beyond = n + 1 - len(d.used)
			} else {
				d.used[id.Key()] = true
			}
			return id
		}
	}
}

// isFull reports whether no more used ids are remembered. The caller holds mu.
func (d *ids) isFull() bool { return len(d.used) >= maxIDs }

// replace replaces the id of a recorded request if it was used before, and returns the one
// on the wire.
func (d *ids) replace(request []byte) ([]byte, jsonrpc.ID) {
	span := jsonrpc.Scan(request).ID
	old := span.Of(request).ID()
	d.mu.Lock()
	defer d.mu.Unlock()
	id := old
	if d.used[old.Key()] || d.fresh || d.isFull() {
		id = d.unused()
	} else {
		d.used[id.Key()] = true
	}
	d.now[old.Key()] = id
	if token := tokenOf(jsonrpc.Scan(request).Params.Of(request)); d.fresh && jsonrpc.TokenOf(token).Is(old) {
		request = jsonrpc.SpanOf(request, token).Replace(request, id.Bytes())
		span = jsonrpc.Scan(request).ID
	}
	return span.Replace(request, id), id
}

// replaceCancelled replaces the id in the cancellation of a request. It returns nil if the request was not
// sent, provided that all requests have new ids.
func (d *ids) replaceCancelled(frame []byte) []byte {
	e := jsonrpc.Scan(frame)
	id, ok := jsonrpc.Member(e.Params.Of(frame), "requestId")
	if !ok || !e.HasMethod(frame, methodCancelled) {
		return frame
	}
	d.mu.Lock()
	now, known := d.now[jsonrpc.IDOf(id).Key()]
	d.mu.Unlock()
	switch {
	case known:
	case d.fresh:
		return nil
	default:
		return frame
	}
	return jsonrpc.SpanOf(frame, id).Replace(frame, now.Bytes())
}

const methodCancelled = "notifications/cancelled"
