package compose

import (
	"strings"

	"github.com/sahilm/fuzzy"
)

// Matching selects the candidates that match the typed text, the best first.
func Matching(all []Candidate, typed string) []Candidate {
	switch {
	case typed == "":
		return all
	case len(all) > maxFuzzy:
		return containing(all, typed)
	}
	labels := make([]string, len(all))
	for i, c := range all {
		labels[i] = c.Label
	}
	var found []Candidate
	for _, hit := range fuzzy.Find(typed, labels) {
		found = append(found, all[hit.Index])
	}
	return found
}

// maxFuzzy is the maximum number of candidates for fuzzy matching. If there are more, only
// candidates that contain the typed text are listed, at most maxListed.
const (
	maxFuzzy  = 1000
	maxListed = 200
)

func containing(all []Candidate, typed string) []Candidate {
	typed = strings.ToLower(typed)
	var first, others []Candidate
	for _, c := range all {
		switch at := strings.Index(strings.ToLower(c.Label), typed); {
		case at == 0 && len(first) < maxListed:
			first = append(first, c)
		case at > 0 && len(others) < maxListed:
			others = append(others, c)
		}
	}
	found := append(first, others...)
	return found[:min(len(found), maxListed)]
}
