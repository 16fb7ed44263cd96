package revision

// Era is one of the two ways in which MCP is spoken (2026-07-28, basic /
// versioning): with a handshake that opens a session, or with requests that
// each stand alone.
type Era uint8

// The eras.
const (
	EraUnknown   Era = iota
	EraHandshake     // initialize opens a session: until 2025-11-25
	EraStateless     // no handshake: since 2026-07-28
)

var eras = [...]string{"unknown", "legacy", "modern"}

// String names the era as the specification does.
func (e Era) String() string {
	if int(e) < len(eras) {
		return eras[e]
	}
	return eras[EraUnknown]
}

// Era is the one that a revision belongs to.
func (r Revision) Era() Era {
	switch {
	case r.IsStateless():
		return EraStateless
	case r.HasHandshake():
		return EraHandshake
	}
	return EraUnknown
}
