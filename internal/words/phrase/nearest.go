package phrase

import (
	"slices"
	"strings"
)

// Nearest returns up to three names that are similar to a word, the most similar
// first.
func Nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	lower := strings.ToLower(word)
	limit := max(2, len(lower)/3)
	if len(lower) <= 4 { // two changes turn any short word into another, and one change any letter
		limit = min(1, len(lower)/2)
	}
	for _, n := range names {
		l := strings.ToLower(n)
		d := EditDistance(lower, l)
		if swapped(lower, l) {
			d = 1
		}
		if len(lower) > 2 && (strings.Contains(l, lower) || strings.Contains(lower, l)) {
			d = min(d, limit)
		}
		if d <= limit {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var near []string
	for _, c := range found[:min(len(found), 3)] {
		near = append(near, c.name)
	}
	return near
}

// swapped reports whether two words differ in the order of two neighbors, which is one mistake.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
