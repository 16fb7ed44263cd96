package editdistance

import (
	"strings"

	"mcptea/internal/stably"
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
	if len(lower) <= 3 {
		limit = 1 // two changes make any word of three letters of another
	}
	for _, n := range names {
		l := strings.ToLower(n)
		d := Bytes(lower, l)
		if len(lower) > 2 && (strings.Contains(l, lower) || strings.Contains(lower, l)) {
			d = min(d, limit)
		}
		if d <= limit {
			found = append(found, candidate{n, d})
		}
	}
	stably.Sort(found, func(a, b candidate) int { return a.distance - b.distance })
	var near []string
	for _, c := range found[:min(len(found), 3)] {
		near = append(near, c.name)
	}
	return near
}
