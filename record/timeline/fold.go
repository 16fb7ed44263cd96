package timeline

import (
	"slices"
	"time"
)

// minRun is the minimum number of consecutive equal requests that form a run. Fewer are as easy to read one by
// one.
const minRun = 5

// A run summarizes consecutive requests of one method and tool that are not nested under another request.
// It is updated with each request, so a row for a million costs as much as one for five.
type run struct {
	first, last   int32 // entries
	count         int32
	failed, ended int32 // failed and finished requests among them
	end           int64 // end of the request that ended last
}

// Run is a series of equal requests, starting with First.
type Run struct {
	Count, Failed, Pending int
	End                    time.Time // end of the request that ended last, or zero
	Last                   int       // the request that began last
}

// Folds selects the hidden requests: requests nested under others, and the requests of runs after the first
// one. A nil function hides nothing.
type Folds struct{ Nested, Run func(i int) bool }

func (f *Folds) nested(i int32) bool { return f.Nested != nil && f.Nested(int(i)) }

// joinRun adds a request that is not nested to the previous run, or starts a new one.
func (t *Timeline) joinRun(i int32) {
	e := &t.entries[i]
	if n := len(t.top); n > 0 && !e.isSubscription {
		before := &t.entries[t.top[n-1]]
		if r := &t.runs[before.run]; before.series == e.series && !before.isSubscription && !t.apart(r, e.start) {
			e.run, r.last = before.run, i
			if r.count++; r.count == minRun {
				t.dropApart(r)
			}
			return
		}
	}
	e.run = int32(len(t.runs))
	t.runs = append(t.runs, run{first: i, last: i, count: 1})
}

// A request starts a new run after a finished one if its distance is at least timesApart times the distance
// between two requests of the run, and at least minApart: one bar for both would suggest activity in between.
const (
	timesApart = 10
	minApart   = 2 * time.Second
)

// apart reports whether a request that starts at the given time belongs to a new run.
func (t *Timeline) apart(r *run, start int64) bool {
	if r.count < minRun || r.ended < r.count {
		return false
	}
	distance := (t.entries[r.last].start - t.entries[r.first].start) / int64(r.count-1)
	return start-r.end > max(int64(minApart), timesApart*distance)
}

// dropApart splits a new run: requests that are far from the others form a run before it. Their normal distance
// was not known before.
func (t *Timeline) dropApart(r *run) {
	all := t.top[len(t.top)-minRun+1:] // top does not contain the newest request yet
	for k := len(all) - 1; k > 0; k-- {
		a, b := &t.entries[all[k-1]], &t.entries[all[k]]
		after := t.entries[r.last].start - b.start
		if n := int64(len(all) - k); a.end == 0 || b.start-a.end <= max(int64(minApart), timesApart*after/n) {
			continue
		}
		apart := run{first: r.first, last: all[k-1]}
		for _, i := range all[:k] {
			e := &t.entries[i]
			e.run = int32(len(t.runs))
			apart.count++
			if e.isError {
				apart.failed++
			}
			if e.end != 0 {
				apart.ended, apart.end = apart.ended+1, max(apart.end, e.end)
			}
		}
		r.first, r.count, r.failed, r.ended = all[k], r.count-apart.count, r.failed-apart.failed, r.ended-apart.ended
		t.runs = append(t.runs, apart)
		return
	}
}

// fail records a request that failed.
func (t *Timeline) fail(i int32) {
	e := &t.entries[i]
	if !e.isError && e.parent == None {
		t.runs[e.run].failed++
	}
	e.isError = true
}

// endInRun records the end of a request in its run.
func (t *Timeline) endInRun(e *entry) {
	if e.parent != None {
		return
	}
	r := &t.runs[e.run]
	r.ended++
	r.end = max(r.end, e.end)
}

// runOf returns the run of a request, if the run is long enough, or nil.
func (t *Timeline) runOf(i int32) *run {
	if e := &t.entries[i]; e.parent == None && t.runs[e.run].count >= minRun {
		return &t.runs[e.run]
	}
	return nil
}

// hiddenBy returns the run that hides all of its requests but the first; nil for one that is shown.
func (t *Timeline) hiddenBy(i int32, f *Folds) *run {
	if r := t.runOf(i); r != nil && f.Run != nil && f.Run(int(r.first)) {
		return r
	}
	return nil
}

// shown returns the request that is shown instead of a hidden one.
func (t *Timeline) shown(i int32, f *Folds) int32 {
	if p := t.entries[i].parent; p != None && (f.nested(p) || t.hiddenBy(p, f) != nil) {
		i = p
	}
	if r := t.hiddenBy(i, f); r != nil {
		return r.first
	}
	return i
}

// RunOf returns the run of a request and the run's first request, or None if there is no run of minimum length.
func (t *Timeline) RunOf(i int) (Run, int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if i < 0 || i >= len(t.entries) {
		return Run{}, None
	}
	r := t.runOf(int32(i))
	if r == nil {
		return Run{}, None
	}
	found := Run{Count: int(r.count), Failed: int(r.failed), Pending: int(r.count - r.ended), Last: int(r.last)}
	if r.end != 0 {
		found.End = time.Unix(0, r.end)
	}
	return found, int(r.first)
}

// Walk returns the request that is by places after or before a request, in display order: a request, the
// requests nested under it, then the next request, without folded requests. It stops at the first or last
// request.
func (t *Timeline) Walk(from, by int, f Folds) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.entries) == 0 {
		return None
	}
	i := t.shown(int32(min(max(from, 0), len(t.entries)-1)), &f)
	for ; by > 0; by-- {
		next := t.after(i, &f)
		if next == None {
			break
		}
		i = next
	}
	for ; by < 0; by++ {
		previous := t.before(i, &f)
		if previous == None {
			break
		}
		i = previous
	}
	return int(i)
}

func (t *Timeline) after(i int32, f *Folds) int32 {
	e := &t.entries[i]
	switch r := t.hiddenBy(i, f); {
	case r != nil:
		i = r.last
	case e.firstNested != None && !f.nested(i):
		return e.firstNested
	case e.parent != None && e.next != None:
		return e.next
	case e.parent != None:
		i = e.parent
	}
	at, _ := slices.BinarySearch(t.top, i)
	if at+1 >= len(t.top) {
		return None
	}
	return t.top[at+1]
}

func (t *Timeline) before(i int32, f *Folds) int32 {
	e := &t.entries[i]
	if p := e.parent; p != None {
		if e.previous != None {
			return e.previous
		}
		return p
	}
	at, _ := slices.BinarySearch(t.top, i)
	if at == 0 {
		return None
	}
	return t.lastOf(t.top[at-1], f)
}

// lastOf returns the last row of a request that is not nested, which may be in a folded run.
func (t *Timeline) lastOf(i int32, f *Folds) int32 {
	if r := t.hiddenBy(i, f); r != nil {
		return r.first
	}
	if last := t.entries[i].nested; last != None && !f.nested(i) {
		return last
	}
	return i
}

// Ends returns the first and the last request in the order of display.
func (t *Timeline) Ends(f Folds) (first, last int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.top) == 0 {
		return None, None
	}
	return int(t.top[0]), int(t.lastOf(t.top[len(t.top)-1], &f))
}
