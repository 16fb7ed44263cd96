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

// feature is something that not every revision has.
type feature uint8

// The features that make a difference to what a server may send.
const (
	batches feature = iota
	nullErrorID
	Annotations
	audioContent
	completions
	progressMessage
	titles
	structured
	resourceLinks
	Elicitation
	completionContext
	VersionHeader
	icons
	ElicitationURL
	ElicitationDefaults
	argumentErrorsInResult
	PrimingEvents
	ElicitationIDs
	coreTasks
)

// features says from which revision to which each feature exists.
var features = [...]struct{ from, to Revision }{
	batches:                {R20250326, R20250326},
	nullErrorID:            {R20241105, R20250618}, // later: no id at all
	Annotations:            {R20250326, forever},
	audioContent:           {R20250326, forever},
	completions:            {R20250326, forever},
	progressMessage:        {R20250326, forever},
	titles:                 {R20250618, forever},
	structured:             {R20250618, forever},
	resourceLinks:          {R20250618, forever},
	Elicitation:            {R20250618, forever},
	completionContext:      {R20250618, forever},
	VersionHeader:          {R20250618, forever},
	icons:                  {R20251125, forever},
	ElicitationURL:         {R20251125, forever},
	ElicitationDefaults:    {R20251125, forever},
	argumentErrorsInResult: {R20251125, forever},
	PrimingEvents:          {R20251125, R20251125},
	ElicitationIDs:         {R20251125, R20251125}, // and the error -32042
	coreTasks:              {R20251125, R20251125},
}

// Has reports whether the revision has the feature.
func (r Revision) Has(f feature) bool {
	return r >= features[f].from && r <= features[f].to
}
