package card

import (
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
)

// span is a range of revisions; an empty end is open.
type span struct {
	First revision.Revision `json:"first"`
	Last  revision.Revision `json:"last"`
}

// in lists the revisions of the span.
func (s span) in() []revision.Revision {
	return slices.DeleteFunc(revision.All(), func(r revision.Revision) bool { return !s.has(r) })
}

// has reports whether a revision is in the span. An unknown revision is in every span.
func (s span) has(r revision.Revision) bool {
	return !r.Known() || !r.Before(s.First) && (s.Last == "" || !s.Last.Before(r))
}

// The abbreviations of revisions in the catalogue of rules.
var (
	short = lazyregexp.New(`\d{4}-\d{2}-\d{2}|\b(24|25a|25b|25c|26)\b\+?`)
	long  = map[string]revision.Revision{
		"24": revision.R20241105, "25a": revision.R20250326, "25b": revision.R20250618,
		"25c": revision.R20251125, "26": revision.R20260728,
	}
)

// spellOut writes the names of revisions in full.
func spellOut(text string) string {
	return short().ReplaceAllStringFunc(strings.ReplaceAll(text, "–", " to "), func(name string) string {
		bare := strings.TrimSuffix(name, "+")
		if long[bare] == "" {
			return name // not abbreviated
		}
		if bare != name {
			return string(long[bare]) + " and later"
		}
		return string(long[bare])
	})
}
