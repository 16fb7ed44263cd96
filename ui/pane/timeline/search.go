package timeline

import (
	"slices"
	"time"

	"mcptea/session/filter"
	"mcptea/session/store"
	"mcptea/session/timeline"
)

// searchBudget is how long the filter may work between two paintings; tests change it.
var searchBudget = 4 * time.Millisecond

// search finds the requests of which the request or the response passes a filter.
type search struct {
	store   *store.Store
	filter  filter.Filter
	scanner *store.Scanner
	shown   []int32 // indexes of requests
	scanned int     // requests that were looked at
	open    int     // the first of them that was pending then; timeline.None without one
}

func newSearch(s *store.Store) search {
	return search{store: s, scanner: s.NewScanner(), open: timeline.None}
}

func (s *search) on() bool { return !s.filter.Empty() }

// set replaces the filter. After an error the last one stays in force.
func (s *search) set(text string) error {
	f, err := filter.Parse(text)
	if err != nil {
		return err
	}
	s.filter, s.shown, s.scanned, s.open = f, nil, 0, timeline.None
	return nil
}

// advance looks at further requests for a few milliseconds, and reports whether there
// are more. The clock that it reads bounds work and decides nothing that is shown.
func (s *search) advance(tl *timeline.Timeline, count int) (behind bool) {
	if !s.on() {
		return false
	}
	if s.open != timeline.None { // its response may pass by now
		cut, _ := slices.BinarySearch(s.shown, int32(s.open))
		s.shown, s.scanned, s.open = s.shown[:cut], s.open, timeline.None
	}
	start := time.Now()
	for s.scanned < count {
		r, ok := tl.Request(s.scanned)
		if !ok {
			break
		}
		if r.IsPending && s.open == timeline.None {
			s.open = s.scanned
		}
		if s.passes(r.Row) || s.passes(r.Response) {
			s.shown = append(s.shown, int32(s.scanned))
		}
		s.scanned++
		if s.scanned%64 == 0 && time.Since(start) > searchBudget {
			break
		}
	}
	return s.scanned < count
}

func (s *search) passes(i int32) bool {
	row, ok := s.store.Row(i)
	f := filter.Frame{Row: &row, Method: s.store.Method(row.Method)}
	f.OfRow(s.store, s.scanner)
	return ok && s.filter.Match(f)
}

// passed reports whether a request after another one, or that itself, has passed.
func (s *search) passed(from int) bool {
	return len(s.shown) > 0 && int(s.shown[len(s.shown)-1]) >= from
}

// walk returns the request so many places after another one, or the nearest.
func (s *search) walk(from, by int) int {
	if len(s.shown) == 0 {
		return timeline.None
	}
	at, _ := slices.BinarySearch(s.shown, int32(from))
	return int(s.shown[min(max(at+by, 0), len(s.shown)-1)])
}

func (s *search) ends() (first, last int) {
	if len(s.shown) == 0 {
		return timeline.None, timeline.None
	}
	return int(s.shown[0]), int(s.shown[len(s.shown)-1])
}
