package store

import (
	"slices"
	"time"

	"mcptea/client/transport"
)

// maxExchanges bounds the HTTP exchanges in memory. The recording has all of them.
const maxExchanges = 2000

// ExchangeOf returns an HTTP exchange by its number, while it is remembered.
func (s *Store) ExchangeOf(id uint32) (transport.Exchange, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x, ok := s.exchanges[id]
	return x, ok
}

// NeverSent reports whether a row belongs to an HTTP exchange whose request has not reached a
// server; see [transport.Exchange.NeverSent].
func (s *Store) NeverSent(r *Row) bool {
	x, ok := s.ExchangeOf(r.Exchange)
	return ok && x.NeverSent()
}

// LastExchange returns the newest HTTP exchange that has a response or an error. It skips trials,
// and the DELETE that ends the session.
func (s *Store) LastExchange() (transport.Exchange, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, id := range slices.Backward(s.order) {
		if x := s.exchanges[id]; (x.Status != 0 || x.Err != "") && x.Purpose != transport.PurposeEndSession && x.Purpose != transport.PurposeTrial {
			return x, true
		}
	}
	return transport.Exchange{}, false
}

// ExchangesSince returns the remembered exchanges that began at a time or later, newest first. It
// leaves out trials, and the DELETE that ends the session.
func (s *Store) ExchangesSince(begin time.Time) []transport.Exchange {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []transport.Exchange
	for _, id := range slices.Backward(s.order) {
		x := s.exchanges[id]
		if x.Start.Before(begin) {
			break
		}
		if x.Purpose != transport.PurposeEndSession && x.Purpose != transport.PurposeTrial {
			found = append(found, x)
		}
	}
	return found
}

// keepExchange stores an exchange, and removes the oldest one beyond maxExchanges. The caller
// holds the lock.
func (s *Store) keepExchange(x *transport.Exchange) {
	if _, known := s.exchanges[x.ID]; !known {
		s.order = append(s.order, x.ID)
	}
	s.exchanges[x.ID] = *x
	if len(s.exchanges) <= maxExchanges {
		return
	}
	delete(s.exchanges, s.order[0])
	s.order = s.order[1:]
}
