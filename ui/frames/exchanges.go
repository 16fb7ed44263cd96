package frames

import (
	"math"
	"slices"
	"sort"
	"time"

	"mcptea/record/store"
	"mcptea/ui/paint"
)

// Exchanges is the list of the exchanges of a store, as a tree of two levels: each exchange has its first row, the
// root, and an open one has all its other rows below that. It keeps four bytes for each exchange, and for each row of
// an open one.
type Exchanges struct {
	store *store.Store

	all  pieces[int32] // roots of all examined rows, in order
	next int32         // first row that was not examined

	events int // number of rows that are not frames and therefore not exchanges

	filtered bool
	found    []int32 // roots of the exchanges that pass the filter
	others   int     // number of rows that are not frames
	changed  int32   // first root whose presence in found has changed since changes was called, or MaxInt32
	taken    int     // number of passing rows that were examined
	version  int     // version of the filter
	weighs   bool    // the filter spans their frames
	weighed  weighed

	open    []opened // sorted by root
	opening int      // number of exchanges opened so far
	spans   []span   // spans of the exchanges that are in the list
	more    int      // rows of the open ones in the list
	buf     []int32

	repeats repeats
	series  []store.Series
}

// opened is an exchange whose rows are shown.
type opened struct {
	root, next int32
	nth        int
	rows       []int32
}

// A span is the position of an open exchange's rows in the list.
type span struct{ at, n, open int }

const (
	// MaxOpen is the maximum number of open exchanges, because each new row is looked up among them. Beyond it,
	// the one opened first is closed.
	MaxOpen = 64
	// exchangeRows is the number of rows examined between checks of the clock. exchangeBudget bounds the time
	// of one update.
	exchangeRows   = 512
	exchangeBudget = 4 * time.Millisecond
)

// NewExchanges returns an empty list for a store. [Exchanges.Look] fills it.
func NewExchanges(s *store.Store) *Exchanges { return &Exchanges{store: s} }

// Look reads new rows of the store up to end, exclusively, and new rows that pass the filter of scan, within a
// time budget. It reports whether there are more. gen is the generation of the snapshot that end belongs to.
// scan is nil if there is no filter.
func (x *Exchanges) Look(scan *Scan, end int32, gen uint64) (behind bool) {
	start := time.Now()
	late := func() bool { return time.Since(start) > exchangeBudget }
	defer x.arrange()
	if x.fill(late) {
		return true
	}
	for x.next < end {
		if x.buf = x.store.Roots(x.buf[:0], x.next, int(min(exchangeRows, end-x.next))); len(x.buf) == 0 {
			break
		}
		x.series = x.store.AppendSeries(x.series[:0], x.next, x.buf)
		for i, root := range x.buf {
			row := x.next
			x.next++
			if root == row {
				if x.series[i] == store.EventSeries {
					x.events++
					x.series[i] = 0 // one row for each
				}
				x.repeats.add(int32(x.all.n), x.series[i])
				x.all.add(row)
			} else if i, ok := x.opened(root); ok {
				x.open[i].rows = append(x.open[i].rows, row)
			}
		}
		for i := range x.open {
			x.open[i].next = x.next
		}
		if behind = x.next < end; behind && late() {
			break
		}
	}
	return scan != nil && x.filter(scan, gen, late) || behind
}

// fill finds the rows of the exchanges that were opened.
func (x *Exchanges) fill(late func() bool) (behind bool) {
	for i := range x.open {
		for o := &x.open[i]; o.next < x.next; {
			from := o.next
			x.buf = x.store.Roots(x.buf[:0], from, int(min(exchangeRows, x.next-from)))
			for k, root := range x.buf {
				if row := from + int32(k); root == o.root && row != root {
					o.rows = append(o.rows, row)
				}
			}
			if o.next += int32(len(x.buf)); late() {
				return true
			}
		}
	}
	return false
}

// filter finds the exchanges that pass.
func (x *Exchanges) filter(scan *Scan, gen uint64, late func() bool) (behind bool) {
	if x.filtered = scan.On(); !x.filtered || x.version != scan.Generation() || x.taken > len(scan.Passed) {
		x.version, x.found, x.others, x.taken, x.weighed, x.changed = scan.Generation(), x.found[:0], 0, 0, weighed{}, 0
	}
	if x.weighs = x.filtered && scan.Compiled().Spans(); x.weighs {
		return x.weigh(scan, gen, late)
	}
	if !x.filtered {
		return false
	}
	for ; x.taken < len(scan.Passed); x.taken++ {
		x.pass(x.store.Root(scan.Passed[x.taken]), true)
	}
	return false
}

// pass records whether an exchange passes.
func (x *Exchanges) pass(root int32, passes bool) {
	n := len(x.found)
	isNew := passes && (n == 0 || x.found[n-1] < root)
	i, known := n, false
	if !isNew {
		i, known = slices.BinarySearch(x.found, root)
	}
	switch {
	case passes == known:
		return
	case isNew:
		x.found = append(x.found, root)
	case passes:
		x.found = slices.Insert(x.found, i, root)
	default:
		x.found = slices.Delete(x.found, i, i+1)
	}
	if r, ok := x.store.Row(root); ok && !r.IsFrame() {
		x.others += paint.If(passes, 1, -1)
	}
	x.changed = min(x.changed, root)
}

// passes reports whether an exchange passes.
func (x *Exchanges) passes(root int32) bool {
	_, ok := slices.BinarySearch(x.found, root)
	return ok
}

// changes returns the first root whose result of passes has changed since the last call. ok is
// false if there is none.
func (x *Exchanges) changes() (root int32, ok bool) {
	root, x.changed = x.changed, math.MaxInt32
	return root, root != math.MaxInt32
}

// pieces is a list in chunks. A contiguous list would take 20 ms to grow at a million.
type pieces[T any] struct {
	n    int
	list []*[piece]T
}

const piece = 4096

func (l *pieces[T]) add(v T) {
	if l.n == len(l.list)*piece {
		l.list = append(l.list, new([piece]T))
	}
	*l.at(l.n) = v
	l.n++
}

func (l *pieces[T]) at(i int) *T { return &l.list[i/piece][i%piece] }

func searchPieces(l *pieces[int32], row int32) (int, bool) {
	i := sort.Search(l.n, func(i int) bool { return *l.at(i) >= row })
	return i, i < l.n && *l.at(i) == row
}

func (x *Exchanges) rootAt(i int) int32 {
	if x.filtered {
		return x.found[i]
	}
	return *x.all.at(x.repeats.index(i))
}

// search returns the position of an exchange among those shown, not counting rows of open ones. For an
// entry that is not shown, it returns the position of another entry.
func (x *Exchanges) search(root int32) (int, bool) {
	if x.filtered {
		return slices.BinarySearch(x.found, root)
	}
	i, ok := searchPieces(&x.all, root)
	place, hidden := x.repeats.place(i)
	return place, ok && !hidden
}

// arrange computes the positions of the open exchanges.
func (x *Exchanges) arrange() {
	x.spans, x.more = x.spans[:0], 0
	for i := range x.open {
		if at, ok := x.search(x.open[i].root); ok {
			x.spans = append(x.spans, span{at + 1 + x.more, len(x.open[i].rows), i})
			x.more += len(x.open[i].rows)
		}
	}
}

// rows returns the number of shown exchanges, without the rows of open ones.
func (x *Exchanges) rows() int {
	if x.filtered {
		return len(x.found)
	}
	return x.all.n - x.repeats.hidden(x.repeats.list.n)
}

// ExchangeCount holds the numbers of exchanges in a list.
type ExchangeCount struct {
	Shown, All int // exchanges that pass the filter, and all of them; without Events
	Events     int // shown rows that are not exchanges, such as the exit of a process or a step of authorization
	Read       int // rows of the store that were read
}

// Counts returns the numbers of the rows read so far.
func (x *Exchanges) Counts() ExchangeCount {
	all := x.all.n - x.events
	n := ExchangeCount{Shown: all, All: all, Events: x.events, Read: int(x.next)}
	if x.filtered {
		n.Shown, n.Events = len(x.found)-x.others, x.others
		if x.weighs {
			n.Read = int(x.weighed.read)
		}
	}
	return n
}

// Len returns the number of shown rows.
func (x *Exchanges) Len() int { return x.rows() + x.more }

// At returns the row at a position. isRoot reports whether an exchange starts there.
func (x *Exchanges) At(i int) (row int32, isRoot bool) {
	before := 0
	for _, s := range x.spans {
		switch {
		case i < s.at:
			return x.rootAt(i - before), true
		case i < s.at+s.n:
			return x.open[s.open].rows[i-s.at], false
		}
		before += s.n
	}
	return x.rootAt(i - before), true
}

// IndexOf returns the position of a row in the list, or the position of its exchange if the exchange is
// closed. For an exchange that is not in the list, it returns the position of the next one, or of the
// last. It returns -1 for an empty list.
func (x *Exchanges) IndexOf(row int32) int {
	root := max(x.store.Root(row), 0)
	at, found := x.search(root)
	if at = min(at, x.rows()-1); at < 0 {
		return -1
	}
	place := at
	for _, s := range x.spans {
		o := &x.open[s.open]
		if found && o.root == root && row != root {
			if k, known := slices.BinarySearch(o.rows, row); known {
				return s.at + k
			}
			return s.at - 1 // its rows are still being examined
		}
		if o.root < x.rootAt(at) {
			place += s.n
		}
	}
	return place
}

func (x *Exchanges) opened(root int32) (int, bool) {
	if len(x.open) == 0 {
		return 0, false
	}
	return slices.BinarySearchFunc(x.open, root, func(o opened, root int32) int { return int(o.root) - int(root) })
}

// IsOpen reports whether the rows of an exchange are shown.
func (x *Exchanges) IsOpen(root int32) bool {
	_, ok := x.opened(root)
	return ok
}

// HasOpen reports whether the rows of any exchange are shown.
func (x *Exchanges) HasOpen() bool { return len(x.open) > 0 }

// IsLast reports whether a row is the last one of an open exchange.
func (x *Exchanges) IsLast(row int32) bool {
	i, ok := x.opened(x.store.Root(row))
	return ok && len(x.open[i].rows) > 0 && x.open[i].rows[len(x.open[i].rows)-1] == row
}

// Toggle opens the exchange of a root, or closes it.
func (x *Exchanges) Toggle(root int32) {
	switch i, ok := x.opened(root); {
	case ok:
		x.open = slices.Delete(x.open, i, i+1)
	case root != store.None:
		if len(x.open) >= MaxOpen {
			x.closeFirst()
		}
		i, _ = x.opened(root)
		x.opening++
		x.open = slices.Insert(x.open, i, opened{root: root, next: root, nth: x.opening})
	}
	x.arrange()
}

// Step returns the root that is n exchanges after the root of a row, or before it if n is negative, but
// not beyond the first or the last root. It ignores the filter. It returns store.None if there are no
// exchanges.
func (x *Exchanges) Step(row int32, n int) int32 {
	if x.all.n == 0 {
		return store.None
	}
	i, _ := searchPieces(&x.all, max(x.store.Root(row), 0))
	return *x.all.at(min(max(i+n, 0), x.all.n-1))
}

// Open opens one exchange, closes all others, and returns its rows after the root, at most most of those read
// so far. The slice is valid until the next call of a method.
func (x *Exchanges) Open(root int32, most int) []int32 {
	if len(x.open) != 1 || x.open[0].root != root {
		x.open = x.open[:0]
		x.Toggle(root)
		x.fill(func() bool { return true }) // add the near ones immediately
	}
	rows := x.open[0].rows
	return rows[:min(len(rows), most)]
}

// closeFirst closes the exchange that was opened first.
func (x *Exchanges) closeFirst() {
	first := 0
	for i := range x.open {
		if x.open[i].nth < x.open[first].nth {
			first = i
		}
	}
	x.open = slices.Delete(x.open, first, first+1)
}
