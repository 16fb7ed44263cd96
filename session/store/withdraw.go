package store

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Lost says that a request of ours will not be answered, although the
// connection goes on.
func (s *Store) Lost(id jsonrpc.ID) { s.withdraw(id, Abandoned) }

// Cancelled says that a request of ours was cancelled in a way that no message
// shows: by the end of its HTTP exchange, or by the server.
func (s *Store) Cancelled(id jsonrpc.ID) { s.withdraw(id, Cancelled) }

// withdraw ends the wait for a response, with the flag that says why.
func (s *Store) withdraw(id jsonrpc.ID, why Flags) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.pairs.requests[transport.Out][s.pairs.key([]byte(id))]
	if !ok || r.flight.landed {
		return
	}
	s.rows.at(r.row).Flags |= why
	s.land(r)
	s.gen++
}

// carried finds the one request that waits in the HTTP exchange which a response
// without id ends: what it is the response to is not in doubt.
func (s *Store) carried(row *Row, dir transport.Direction) (found request, ok bool) {
	if row.Exchange == 0 || dir != transport.In {
		return request{}, false
	}
	for _, f := range s.pairs.flights {
		if f.landed || f.Dir != transport.Out || s.rows.at(f.Row).Exchange != row.Exchange {
			continue
		}
		if ok {
			return request{}, false
		}
		found, ok = request{f.Row, f}, true
	}
	return found, ok
}
