package sequence

import (
	"slices"
	"time"

	"mcptea/session/filter"
	"mcptea/session/store"
)

// searchBudget is how long the filter may work between two paintings.
const searchBudget = 4 * time.Millisecond

// search finds the rows that pass a filter. Those that are pending are looked at as they
// are when they are reached.
type search struct {
	store   *store.Store
	filter  filter.Filter
	scanner *store.Scanner
	shown   []int32
	scanned int32
}

func (s *search) on() bool { return !s.filter.Empty() }

// set replaces the filter. After an error the last one stays in force.
func (s *search) set(text string) error {
	f, err := filter.Parse(text)
	if err != nil {
		return err
	}
	s.filter, s.shown, s.scanned = f, nil, 0
	return nil
}

// advance looks at further rows for a few milliseconds, and reports whether there are
// more. The clock that it reads bounds work and decides nothing that is shown.
func (s *search) advance(rows int) (behind bool) {
	if !s.on() {
		return false
	}
	start := time.Now()
	var f filter.Frame // one for all: the closures are made once
	f.OfRow(s.store, s.scanner)
	for int(s.scanned) < rows && time.Since(start) < searchBudget {
		s.scanned = s.scanner.Rows(s.scanned, min(512, rows-int(s.scanned)), func(i int32, r *store.Row) bool {
			f.Row, f.Method = r, s.store.Method(r.Method)
			if s.filter.Match(f) {
				s.shown = append(s.shown, i)
			}
			return true
		})
	}
	return int(s.scanned) < rows
}

// count is how many entries the diagram has.
func (p *Pane) count() int {
	switch {
	case p.only:
		return len(p.exchange)
	case p.search.on():
		return len(p.search.shown)
	}
	return p.rows
}

// entry is the row of an entry.
func (p *Pane) entry(i int) int32 {
	switch {
	case p.only:
		return p.exchange[i]
	case p.search.on():
		return p.search.shown[i]
	}
	return int32(i)
}

// indexOf is the first entry at a row or after it.
func (p *Pane) indexOf(row int32) int {
	switch {
	case p.only:
		return 0
	case p.search.on():
		i, _ := slices.BinarySearch(p.search.shown, row)
		return max(0, min(i, len(p.search.shown)-1))
	}
	return int(row)
}

// leadNear is the exchange of the entry so many entries away; store.None without one.
func (p *Pane) leadNear(at, step int) int32 {
	for i, n := at, 0; i >= 0 && i < len(p.search.shown) && n < maxSeek; i, n = i+step, n+1 {
		if lead := p.leadOf(p.search.shown[i]); lead != p.lead {
			return lead
		}
	}
	return store.None
}

// leadOf is the first row of the exchange that a row belongs to.
func (p *Pane) leadOf(row int32) int32 {
	if m, ok := p.message(row); ok && m.Request != store.None {
		row = m.Request
	}
	if call := p.parent(row); call != store.None {
		row = call
	}
	return row
}
