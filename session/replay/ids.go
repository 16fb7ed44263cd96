package replay

import (
	"sync"

	"mcptea/client/jsonrpc"
)

// ids are the ids of requests on the wire: those of the recording as long as each is used
// once on the connection.
type ids struct {
	next func(used int) jsonrpc.ID // returns other ids, as often as it is called

	mu   sync.Mutex
	now  map[jsonrpc.ID]jsonrpc.ID // on the wire, by the recorded ones
	used map[jsonrpc.ID]bool
}

func newIDs(next func(used int) jsonrpc.ID) *ids {
	return &ids{next: next, now: map[jsonrpc.ID]jsonrpc.ID{}, used: map[jsonrpc.ID]bool{}}
}

// forget begins a new connection.
func (d *ids) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.now)
	clear(d.used)
}

// fresh returns an id that was not used.
func (d *ids) fresh() jsonrpc.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unused()
}

// unused is fresh; the caller holds mu.
func (d *ids) unused() jsonrpc.ID {
	for n := len(d.used); ; n++ {
		if id := d.next(n); !d.used[id] {
			d.used[id] = true
			return id
		}
	}
}

// replace replaces the id of a recorded request if it was used before, and returns the one
// on the wire.
func (d *ids) replace(request []byte) ([]byte, jsonrpc.ID) {
	span := jsonrpc.Scan(request).ID
	old := jsonrpc.ID(span.Of(request))
	d.mu.Lock()
	defer d.mu.Unlock()
	id := old
	if d.used[old] {
		id = d.unused()
	}
	d.used[id], d.now[old] = true, id
	return span.Replace(request, []byte(id)), id
}

// replaceCancelled replaces the id in the cancellation of a request.
func (d *ids) replaceCancelled(frame []byte) []byte {
	e := jsonrpc.Scan(frame)
	id, ok := jsonrpc.Member(e.Params.Of(frame), "requestId")
	if !ok || !e.HasMethod(frame, methodCancelled) {
		return frame
	}
	d.mu.Lock()
	now, known := d.now[jsonrpc.ID(id)]
	d.mu.Unlock()
	if !known {
		return frame
	}
	return jsonrpc.SpanOf(frame, id).Replace(frame, []byte(now))
}

const methodCancelled = "notifications/cancelled"
