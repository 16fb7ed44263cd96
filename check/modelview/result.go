package modelview

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
)

// maxCutters is the maximum number of hosts that are named below a result.
const maxCutters = 5

// Cutters names the hosts that do not give the whole text of a result to a model, with the number of characters above
// which they cut it or write it to a file, or returns "". The hosts with the smallest limit are first.
func Cutters(characters int) string {
	type cutter struct {
		name string
		size int
	}
	var all []cutter
	for _, h := range Hosts() {
		for i := range h.Facts {
			if f := &h.Facts[i]; f.Size > 0 && characters > f.Size {
				all = append(all, cutter{h.Name, f.Size})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cutter) int { return cmp.Compare(a.size, b.size) })
	var names []string
	for i, c := range all[:min(len(all), maxCutters)] {
		if i == 0 {
			names = append(names, c.name+" above "+phrase.Digits(c.size)+" characters")
			continue
		}
		names = append(names, c.name+" "+phrase.Digits(c.size))
	}
	return strings.Join(names, ", ")
}
