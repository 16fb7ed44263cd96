package frames

import (
	"slices"
	"sort"

	"mcptea/record/store"
)

const (
	// minRepeats is the minimum number of consecutive equal exchanges that are folded into one row, as in the
	// timeline: fewer are as easy to read one by one. maxRepeats is the maximum, because a row examines each of
	// them.
	minRepeats, maxRepeats = 5, 128
)

// A repeat is a run of consecutive equal exchanges.
type repeat struct{ at, n, hidden int32 } // index of the first; count; exchanges hidden by earlier repeats while those are closed

// repeats holds the runs of consecutive equal exchanges, as indexes of all exchanges. Each takes one position
// while it is closed. It uses twelve bytes per run.
type repeats struct {
	list   pieces[repeat]
	newest repeat // whether it is in the list or not
	of     store.Series
	open   []int32 // indexes of list, in the order in which they were opened
}

// add adds the exchange with the next index.
func (r *repeats) add(index int32, of store.Series) {
	if of == 0 || of != r.of || r.newest.n == maxRepeats {
		r.of, r.newest = of, repeat{at: index}
	}
	switch r.newest.n++; {
	case r.newest.n == minRepeats:
		if k := r.list.n - 1; k >= 0 {
			r.newest.hidden = r.list.at(k).hidden + r.list.at(k).n - 1
		}
		r.list.add(r.newest)
	case r.newest.n > minRepeats:
		*r.list.at(r.list.n - 1) = r.newest
	}
}

// hidden returns the number of exchanges hidden by the repeats before number k.
func (r *repeats) hidden(k int) (n int) {
	switch {
	case k < r.list.n:
		n = int(r.list.at(k).hidden)
	case k > 0:
		n = int(r.list.at(k-1).hidden + r.list.at(k-1).n - 1)
	}
	for _, o := range r.open {
		if int(o) < k {
			n -= int(r.list.at(int(o)).n - 1)
		}
	}
	return n
}

// before returns the number of the last repeat that starts at or before an index, or -1.
func (r *repeats) before(index int) int {
	return sort.Search(r.list.n, func(k int) bool { return int(r.list.at(k).at) > index }) - 1
}

// place returns the position of an exchange, or of the exchange that represents it.
func (r *repeats) place(index int) (place int, hidden bool) {
	k := r.before(index)
	if k < 0 {
		return index, false
	}
	x := r.list.at(k)
	if end := int(x.at + x.n); index >= end {
		return index - r.hidden(k+1), false
	}
	if slices.Contains(r.open, int32(k)) {
		return index - r.hidden(k), false
	}
	return int(x.at) - r.hidden(k), index != int(x.at)
}

// index returns the exchange at a position.
func (r *repeats) index(place int) int {
	k := sort.Search(r.list.n, func(k int) bool { return int(r.list.at(k).at)-r.hidden(k) > place }) - 1
	if k < 0 {
		return place
	}
	x := r.list.at(k)
	if int(x.at)-r.hidden(k) == place {
		return int(x.at)
	}
	return place + r.hidden(k+1) // after it, or in one that is open, which hides nothing
}

// Repeats returns the roots of the run of equal exchanges that contains an exchange, and whether the run is
// folded into the row of the first. It returns none if the run is too short, or a filter is on.
func (x *Exchanges) Repeats(root int32) (roots []int32, closed bool) {
	k := x.repeatsOf(root)
	if k < 0 {
		return nil, false
	}
	r := x.repeats.list.at(k)
	for i := range r.n {
		roots = append(roots, *x.all.at(int(r.at + i)))
	}
	return roots, !slices.Contains(x.repeats.open, int32(k))
}

// repeatsOf returns the number of the run that contains an exchange, or -1.
func (x *Exchanges) repeatsOf(root int32) int {
	if x.filtered || x.repeats.list.n == 0 {
		return -1
	}
	i, ok := searchPieces(&x.all, root)
	k := x.repeats.before(i)
	if !ok || k < 0 || i >= int(x.repeats.list.at(k).at+x.repeats.list.at(k).n) {
		return -1
	}
	return k
}

// IsHidden reports whether an exchange is represented by an equal one.
func (x *Exchanges) IsHidden(root int32) bool {
	k := x.repeatsOf(root)
	return k >= 0 && *x.all.at(int(x.repeats.list.at(k).at)) != root && !slices.Contains(x.repeats.open, int32(k))
}

// ToggleRepeats shows a run of equal exchanges one by one, or folded into one row.
func (x *Exchanges) ToggleRepeats(root int32) {
	k := int32(x.repeatsOf(root))
	if k < 0 {
		return
	}
	open := &x.repeats.open
	if i := slices.Index(*open, k); i >= 0 {
		*open = slices.Delete(*open, i, i+1)
	} else {
		*open = append(*open, k)
		*open = slices.Delete(*open, 0, max(len(*open)-MaxOpen, 0))
	}
	x.arrange()
}
