package store

import "mcptea/client/transport"

// maxExchanges is how many HTTP exchanges are kept in memory; the recording has
// them all.
const maxExchanges = 2000

// ExchangeOf returns an HTTP exchange by its number, while it is remembered.
func (s *Store) ExchangeOf(id uint32) (transport.Exchange, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x, ok := s.exchanges[id]
	return x, ok
}

// LastExchange returns the newest HTTP exchange that has a response or an error,
// without the DELETE that ends the session.
func (s *Store) LastExchange() (transport.Exchange, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var last transport.Exchange
	for id, x := range s.exchanges {
		if id > last.ID && (x.Status != 0 || x.Err != "") && x.Purpose != "end session" {
			last = x
		}
	}
	return last, last.ID != 0
}
