package revision

import (
	"slices"
	"strings"
)

// Words describes a list of revisions, the oldest first: "until 2025-11-25".
func Words(in []Revision) string {
	if len(in) == 0 {
		return "none"
	}
	from, to := slices.Index(released, in[0]), slices.Index(released, in[len(in)-1])
	switch {
	case to-from != len(in)-1: // the revisions are not consecutive
		var names []string
		for _, r := range in {
			names = append(names, string(r))
		}
		return strings.Join(names, ", ")
	case len(in) == len(released):
		return "every version"
	case len(in) == 1:
		return string(in[0])
	case to == len(released)-1:
		return "since " + string(in[0])
	case from == 0:
		return "until " + string(in[len(in)-1])
	}
	return string(in[0]) + " to " + string(in[len(in)-1])
}
