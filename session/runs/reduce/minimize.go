package reduce

import "slices"

// minimize returns a smallest subset, in order, of the numbers from 0 to n-1 for which holds
// returns true. If any number is removed from it, holds returns false. holds must return true for
// all numbers together. The algorithm is ddmin (Zeller and Hildebrandt, Simplifying and Isolating
// Failure-Inducing Input, 2002). It tries to leave out the last numbers first, because later frames
// depend on earlier ones.
func minimize(n int, holds func(keep []int) bool) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if n > 0 && holds(nil) {
		return nil
	}
	for parts := 2; len(all) > 1; {
		parts = min(parts, len(all))
		rest, ok := withoutOnePart(all, parts, holds)
		switch {
		case ok:
			all, parts = rest, max(parts-1, 2)
		case parts >= len(all):
			return all
		default:
			parts *= 2
		}
	}
	return all
}

// withoutOnePart divides the numbers into equal parts, and returns all numbers without one of the parts if
// holds is true for them.
func withoutOnePart(all []int, parts int, holds func(keep []int) bool) (rest []int, ok bool) {
	for i := parts - 1; i >= 0; i-- {
		from, to := i*len(all)/parts, (i+1)*len(all)/parts
		if rest = slices.Concat(all[:from], all[to:]); holds(rest) {
			return rest, true
		}
	}
	return nil, false
}
