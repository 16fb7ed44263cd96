package page

import (
	"slices"
	"time"
)

// The budget is the maximum time that one call may examine items. The clock is read after each
// group of items.
const (
	budget = 4 * time.Millisecond
	every  = 512
)

// Scan finds the items that pass a filter, a few milliseconds at a time. It reads the clock only to
// limit the work. The result does not depend on it.
type Scan struct {
	Passed []int32 // items that passed, in order
	Next   int     // first item that was not examined
}

// forget drops the first n items, so all other indexes change.
func (s *Scan) forget(n int) {
	cut, _ := slices.BinarySearch(s.Passed, int32(n))
	s.Passed, s.Next = s.Passed[cut:], max(s.Next-n, 0)
	for i := range s.Passed {
		s.Passed[i] -= int32(n)
	}
}

// From drops the results for an item and all later ones. [Scan.Advance] examines them again.
func (s *Scan) From(item int) {
	if item < s.Next {
		cut, _ := slices.BinarySearch(s.Passed, int32(item))
		s.Passed, s.Next = s.Passed[:cut], item
	}
}

// Advance calls look for the unexamined items before end until a time budget is spent. It returns
// true if there are more. look examines the item from, and more items before to while a part of the
// budget lasts. It appends the items that pass to Passed, and returns the first item that it did
// not examine.
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

// Index returns the index of an item in Passed. If the item did not pass, it returns the index of
// the next item that passed, or else of the last one. It returns -1 if no item passed.
func (s *Scan) Index(item int32) int {
	at, _ := slices.BinarySearch(s.Passed, item)
	return min(at, len(s.Passed)-1)
}
