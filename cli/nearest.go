package cli

import (
	"slices"
	"strings"
)

// nearest returns up to three names that somebody may have meant by a word, the
// most likely one first.
func nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	lower := strings.ToLower(word)
	for _, n := range names {
		l := strings.ToLower(n)
		d := distance(lower, l)
		if lower != "" && (strings.Contains(l, lower) || strings.Contains(lower, l)) {
			d = min(d, 2)
		}
		if d <= max(2, len(lower)/3) {
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

// distance is how many bytes have to be put in, taken out or replaced to make
// one word of the other.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b)) // nobody mistypes that
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
