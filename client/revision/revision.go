package revision

import (
	"slices"
	"time"
)

// Revision is a protocol revision as it stands on the wire. Revisions are
// opaque: only those listed here mean anything.
type Revision string

// The released revisions.
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// NewestHandshake is what a client offers in an initialize request; later
// revisions have no handshake.
const NewestHandshake = R20251125

// NewestStateless is what a client says it speaks in each request, where there is
// no handshake.
const NewestStateless = R20260728

// released is in the order of time, on which spans depend.
var released = []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}

// All lists the released revisions, oldest first.
func All() []Revision { return slices.Clone(released) }

// WithHandshake lists the revisions that begin with a handshake, oldest first.
func WithHandshake() []Revision {
	return slices.Clone(released[:slices.Index(released, NewestHandshake)+1])
}

// Known reports whether the revision was released.
func (r Revision) Known() bool { return slices.Contains(released, r) }

// HasHandshake reports whether a connection in this revision begins with an
// initialize handshake.
func (r Revision) HasHandshake() bool { return slices.Contains(WithHandshake(), r) }

// IsStateless reports whether the revision has no handshake: each request stands
// alone and says which revision it speaks (2026-07-28, basic, "_meta").
func (r Revision) IsStateless() bool { return r.Known() && !r.HasHandshake() }

// Before reports whether a revision was released before another one. Nothing
// is known of one that was not.
func (r Revision) Before(other Revision) bool {
	at := slices.Index(released, r)
	return at >= 0 && at < slices.Index(released, other)
}

// NewestCommonHandshake returns the newest legacy revision of a list that came
// from a peer, and false when there is none.
func NewestCommonHandshake(offered []string) (Revision, bool) {
	for _, r := range slices.Backward(WithHandshake()) {
		if slices.Contains(offered, string(r)) {
			return r, true
		}
	}
	return "", false
}

// NewestHandshakeBefore returns the newest revision with a handshake that is not
// younger than a date of which nothing else is known, empty when there is none
// or when that is no date.
func NewestHandshakeBefore(date string) Revision {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return ""
	}
	for _, r := range slices.Backward(WithHandshake()) {
		if string(r) <= date {
			return r
		}
	}
	return ""
}

// span is the revisions from the first to the last, both included; an end that
// is not given is open, so that the zero span is all of them.
type span struct{ first, last Revision }

func since(r Revision) span { return span{first: r} }
func until(r Revision) span { return span{last: r} }
func only(r Revision) span  { return span{r, r} }

// has reports whether a revision is in the span; an unknown one is in each.
func (s span) has(r Revision) bool {
	at := slices.Index(released, r)
	if at < 0 {
		return true
	}
	return (s.first == "" || at >= slices.Index(released, s.first)) &&
		(s.last == "" || at <= slices.Index(released, s.last))
}

// Sender is a side of the connection, or both: who may send a method, who
// declares a capability.
type Sender uint8

// The senders; Both is their union.
const (
	Client Sender = 1 << iota
	Server
	Both = Client | Server
)
