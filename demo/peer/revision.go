package peer

// Revision is an MCP revision, in the order of their release.
type Revision uint8

// The revisions. Up to 2025-11-25 they open a session with a handshake; since
// then each request stands alone.
const (
	R20241105 Revision = iota
	R20250326
	R20250618
	R20251125
	R20260728

	newestLegacy = R20251125
	forever      = R20260728
)

var revisionNames = [...]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Era says which revisions a server serves.
type Era uint8

// The eras.
const (
	BothEras Era = iota
	LegacyOnly
	ModernOnly
)

// revisions are the names of those that the era has, the newest first.
func (e Era) revisions() []string {
	var names []string
	for r := forever; ; r-- {
		if modern := r > newestLegacy; e == BothEras || modern == (e == ModernOnly) {
			names = append(names, r.String())
		}
		if r == 0 {
			return names
		}
	}
}

// String returns the revision as it stands on the wire.
func (r Revision) String() string {
	if int(r) < len(revisionNames) {
		return revisionNames[r]
	}
	return "unknown"
}

// ParseRevision looks a revision string up. Strings are opaque: one that is not
// in the table is unknown, whatever date it shows.
func ParseRevision(s string) (Revision, bool) {
	for i, name := range revisionNames {
		if name == s {
			return Revision(i), true
		}
	}
	return newestLegacy, false
}

// Feature is something that not every revision has.
type Feature uint8

// The features that make a difference to what a server may send.
const (
	Batches Feature = iota
	NullErrorID
	Annotations
	AudioContent
	Completions
	ProgressMessage
	Titles
	Structured
	ResourceLinks
	Elicitation
	CompletionContext
	VersionHeader
	Icons
	ElicitationURL
	ElicitationDefaults
	ArgumentErrorsInResult
	PrimingEvents
	ElicitationIDs
	CoreTasks
)

// features says from which revision to which each feature exists.
var features = [...]struct{ from, to Revision }{
	Batches:                {R20250326, R20250326},
	NullErrorID:            {R20241105, R20250618}, // later: no id at all
	Annotations:            {R20250326, forever},
	AudioContent:           {R20250326, forever},
	Completions:            {R20250326, forever},
	ProgressMessage:        {R20250326, forever},
	Titles:                 {R20250618, forever},
	Structured:             {R20250618, forever},
	ResourceLinks:          {R20250618, forever},
	Elicitation:            {R20250618, forever},
	CompletionContext:      {R20250618, forever},
	VersionHeader:          {R20250618, forever},
	Icons:                  {R20251125, forever},
	ElicitationURL:         {R20251125, forever},
	ElicitationDefaults:    {R20251125, forever},
	ArgumentErrorsInResult: {R20251125, forever},
	PrimingEvents:          {R20251125, R20251125},
	ElicitationIDs:         {R20251125, R20251125}, // and the error -32042
	CoreTasks:              {R20251125, R20251125},
}

// Has reports whether the revision has the feature.
func (r Revision) Has(f Feature) bool {
	return r >= features[f].from && r <= features[f].to
}
