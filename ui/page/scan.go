package page

import (
	"slices"
	"time"
)

// The budget is the maximum time that one call examines items. The clock is read after each group of items.
const (
	budget = 4 * time.Millisecond
	every  = 512
)

// Scan finds which of many items pass a filter, a few milliseconds at a time. The clock
// that it reads bounds work and decides nothing that is shown.
type Scan struct {
	Passed []int32 // the items that passed, in their order
	Next   int     // first item that was not examined
}

// forget drops the first n items: the others have other places now.
func (s *Scan) forget(n int) {
	cut, _ := slices.BinarySearch(s.Passed, int32(n))
	s.Passed, s.Next = s.Passed[cut:], max(s.Next-n, 0)
	for i := range s.Passed {
		s.Passed[i] -= int32(n)
	}
}

// From forgets the results from an item on: [Scan.Advance] examines them again.
func (s *Scan) From(item int) {
	if item < s.Next {
		cut, _ := slices.BinarySearch(s.Passed, int32(item))
		s.Passed, s.Next = s.Passed[:cut], item
	}
}

// Advance calls look for the unexamined items before end until a time budget is spent, and reports whether
// there are more. look examines the item from, and as many more before to as it can in part of the budget. It
// appends passing items to Passed, and returns the first item that it did not examine.
func (s *Scan) Advance(end int, look func(from, to int) (next int)) (behind bool) {
	start := time.Now()
	for s.Next < end {
		s.Next = look(s.Next, min(s.Next+every, end))
		if s.Next < end && time.Since(start) > budget {
			return true
		}
	}
	return false
}

// Index returns the index in Passed of an item, or of the next passing item, or of the last one. It returns -1
// if no item passed.
func (s *Scan) Index(item int32) int {
	at, _ := slices.BinarySearch(s.Passed, item)
	return min(at, len(s.Passed)-1)
}
