package revision

import (
	"slices"
	"time"
)

// Revision is a protocol version as sent on the wire. Values that are not constants of this package are unknown
// revisions.
type Revision string

// The released revisions.
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// NewestHandshake is the version of an initialize request; later revisions have no
// handshake.
const NewestHandshake = R20251125

// NewestStateless is the version of stateless requests.
const NewestStateless = R20260728

// released is in chronological order, as span requires.
var released = []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}

// All returns the released revisions, oldest first.
func All() []Revision { return slices.Clone(released) }

// WithHandshake returns the revisions with a handshake, oldest first.
func WithHandshake() []Revision {
	return slices.Clone(released[:slices.Index(released, NewestHandshake)+1])
}

// Known reports whether the revision was released.
func (r Revision) Known() bool { return slices.Contains(released, r) }

// HasHandshake reports whether a connection in this revision begins with an
// initialize handshake.
func (r Revision) HasHandshake() bool { return r.Known() && !NewestHandshake.Before(r) }

// IsStateless reports whether the revision has no handshake: each request names the revision (2026-07-28,
// basic, "_meta").
func (r Revision) IsStateless() bool { return r.Known() && !r.HasHandshake() }

// Before reports whether a revision was released before another one. It returns false if r is unknown.
func (r Revision) Before(other Revision) bool {
	at := slices.Index(released, r)
	return at >= 0 && at < slices.Index(released, other)
}

// NewestCommonHandshake returns the newest revision with a handshake in a list of a peer. It returns false if
// there is no such revision.
func NewestCommonHandshake(offered []string) (Revision, bool) {
	for _, r := range slices.Backward(WithHandshake()) {
		if slices.Contains(offered, string(r)) {
			return r, true
		}
	}
	return "", false
}

// NewestHandshakeBefore returns the newest revision with a handshake that is not newer than a
// date, or empty, and for an invalid date.
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

// span is a range of revisions, both ends included. An empty end is open: the zero
// span has all revisions.
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

// Sender is a side of the connection, or both.
type Sender uint8

// The senders; Both is their union.
const (
	Client Sender = 1 << iota
	Server
	Both = Client | Server
)

// Era is one of the two kinds of revisions (2026-07-28, basic / versioning): with an initialize handshake that
// starts a session, or with stateless requests.
type Era uint8

// The eras.
const (
	EraUnknown   Era = iota
	EraHandshake     // initialize begins a session: until 2025-11-25
	EraStateless     // no handshake; since 2026-07-28
)

var eras = [...]string{"unknown", "handshake", "stateless"}

// String returns the name of the era.
func (e Era) String() string {
	if int(e) < len(eras) {
		return eras[e]
	}
	return eras[EraUnknown]
}

// MarshalText implements encoding.TextMarshaler.
func (e Era) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Era returns the era of a revision.
func (r Revision) Era() Era {
	switch {
	case r.IsStateless():
		return EraStateless
	case r.HasHandshake():
		return EraHandshake
	}
	return EraUnknown
}
