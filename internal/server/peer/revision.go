package peer

import (
	"slices"

	"mcptea/client/revision"
)

// Era selects the revisions that a server supports.
type Era uint8

// The eras.
const (
	BothEras Era = iota
	LegacyOnly
	ModernOnly
)

// revisions returns the names of the revisions of the era, newest first.
func (e Era) revisions() []string {
	var names []string
	for _, r := range slices.Backward(revision.All()) {
		if e == BothEras || r.IsStateless() == (e == ModernOnly) {
			names = append(names, string(r))
		}
	}
	return names
}

// feature is something that not every revision has: the first and the last revision
// with it. An empty end is open.
type feature struct{ from, until revision.Revision }

// Features that determine what a server may send.
var (
	batches                = feature{revision.R20250326, revision.R20250326}
	nullErrorID            = feature{until: revision.R20250618} // later: no id at all
	audioContent           = feature{from: revision.R20250326}
	progressMessage        = feature{from: revision.R20250326}
	structured             = feature{from: revision.R20250618}
	resourceLinks          = feature{from: revision.R20250618}
	Elicitation            = feature{from: revision.R20250618}
	completionContext      = feature{from: revision.R20250618}
	VersionHeader          = feature{from: revision.R20250618}
	ElicitationURL         = feature{from: revision.R20251125}
	ElicitationDefaults    = feature{from: revision.R20251125}
	argumentErrorsInResult = feature{from: revision.R20251125}
	PrimingEvents          = feature{revision.R20251125, revision.R20251125}
	ElicitationIDs         = feature{revision.R20251125, revision.R20251125} // includes the error -32042
	coreTasks              = feature{revision.R20251125, revision.R20251125}
)

// In reports whether a revision has the feature. Revisions are dates and compare as text.
func (f feature) In(r revision.Revision) bool {
	return r >= f.from && (f.until == "" || r <= f.until)
}
