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

// words describes a list of revisions.
func words(in []revision.Revision) string {
	all := revision.All()
	if len(in) == 0 {
		return "none"
	}
	from, to := slices.Index(all, in[0]), slices.Index(all, in[len(in)-1])
	switch {
	case to-from != len(in)-1: // not consecutive
		var names []string
		for _, r := range in {
			names = append(names, string(r))
		}
		return strings.Join(names, ", ")
	case len(in) == len(all):
		return "every version"
	case len(in) == 1:
		return string(in[0])
	case to == len(all)-1:
		return "since " + string(in[0])
	case from == 0:
		return "until " + string(in[len(in)-1])
	}
	return string(in[0]) + " to " + string(in[len(in)-1])
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
