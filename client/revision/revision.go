package revision

import "slices"

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

// NewestLegacy is what a client offers in an initialize request; later
// revisions have no handshake.
const NewestLegacy = R20251125

// All lists the released revisions, oldest first.
func All() []Revision {
	return []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}
}

// Legacy lists the revisions that begin with a handshake, oldest first.
func Legacy() []Revision { return All()[:4] }

// Known reports whether the revision was released.
func (r Revision) Known() bool { return slices.Contains(All(), r) }

// IsLegacy reports whether a connection in this revision begins with an
// initialize handshake.
func (r Revision) IsLegacy() bool { return slices.Contains(Legacy(), r) }

// NewestCommonLegacy returns the newest legacy revision of a list that came
// from a peer, and false when there is none.
func NewestCommonLegacy(offered []string) (Revision, bool) {
	for _, r := range slices.Backward(Legacy()) {
		if slices.Contains(offered, string(r)) {
			return r, true
		}
	}
	return "", false
}

func (r Revision) index() int { return slices.Index(All(), r) }
