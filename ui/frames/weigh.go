package frames

import (
	"math/bits"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// weighed holds the matches in each exchange of a filter that spans exchanges.
type weighed struct {
	masks pieces[uint64] // for each exchange, the parts that its frames contain
	best  pieces[best]   // for each exchange, its first frame with the most wanted parts
	read  int32          // first row that they do not include
	most  int32          // first row that was never included
	gen   uint64         // generation of the store
	// pending lists, in order, the rows whose parts can change when they end. live holds their current parts,
	// by root. They are not in masks.
	pending []pendingRow
	live    map[int32]uint64
}

type pendingRow struct{ row, root int32 }

// best is a frame with the number of parts of the filter that it contains.
type best struct {
	row   int32
	parts int32
}

// maxPendingRows bounds the rows that are examined again. The oldest keep the parts found earlier.
const maxPendingRows = 4096

// weigh finds the exchanges whose frames pass together.
func (x *Exchanges) weigh(scan *Scan, gen uint64, late func() bool) (behind bool) {
	f, w, frame := scan.Compiled(), &x.weighed, scan.frame()
	if gen != w.gen {
		if w.gen = gen; f.Linted() {
			w.read = max(w.read-lintLag, 0)
		}
		x.askPending(scan)
	}
	for w.read < x.next {
		w.read = scan.scanner.Rows(w.read, int(min(exchangeRows, x.next-w.read)), func(i int32, r *store.Row) bool {
			scan.at(frame, i, r)
			root, k := x.rootOf(i, r)
			isNew := i == root && i >= w.most
			if isNew {
				w.masks.add(0)
				w.best.add(best{row: i})
			}
			mask := f.Mask(frame)
			if b := w.best.at(k); i >= b.row {
				if parts := int32(bits.OnesCount64(mask & f.Wanted())); parts > b.parts {
					*b = best{i, parts}
				}
			}
			before := *w.masks.at(k) | w.live[root]
			open := f.Changes() && r.Flags&(store.Pending|store.Acknowledged) == store.Pending
			switch {
			case open && i >= w.most:
				w.hold(pendingRow{i, root}, mask, x)
			case !open:
				*w.masks.at(k) |= mask
			}
			if after := *w.masks.at(k) | w.live[root]; isNew || after != before {
				x.pass(root, f.Holds(after))
			}
			w.most = max(w.most, i+1)
			return true
		})
		if w.read < x.next && late() {
			return true
		}
	}
	return false
}

// BestIn returns the frame of an exchange that meets most conditions of the filter, if the filter is one whose conditions
// different frames of an exchange may meet; of equal frames the first. It is store.None for other filters.
func (x *Exchanges) BestIn(root int32) int32 {
	k, ok := searchPieces(&x.all, root)
	if !x.weighs || !ok || k >= x.weighed.best.n {
		return store.None
	}
	return x.weighed.best.at(k).row
}

// hold keeps a row that can have other parts when it ends.
func (w *weighed) hold(p pendingRow, mask uint64, x *Exchanges) {
	if len(w.pending) >= maxPendingRows {
		oldest := w.pending[0]
		w.settle(oldest.root, w.live[oldest.root], x)
		w.pending = w.pending[1:]
	}
	if w.live == nil {
		w.live = map[int32]uint64{}
	}
	w.pending = append(w.pending, p)
	w.live[p.root] |= mask
}

// rootOf returns the root of a row, and its position among all roots. Most rows belong to a recent root.
func (x *Exchanges) rootOf(i int32, r *store.Row) (root int32, k int) {
	of := max(r.Request(), r.SentFor(i)) // at most one of them is not store.None
	if of == store.None && r.Kind != jsonrpc.Batch && r.Pair >= i || of == store.None && r.Pair == store.None {
		of = i
	}
	if k, ok := x.place(of); ok {
		return of, k
	}
	root = x.store.Root(i)
	k, _ = x.place(root)
	return root, k
}

// place returns the position of a root among all roots.
func (x *Exchanges) place(root int32) (k int, ok bool) {
	n := x.weighed.masks.n
	for k := min(n, x.all.n-1); k >= max(0, n-8); k-- {
		if *x.all.at(k) == root {
			return k, true
		}
	}
	return searchPieces(&x.all, root)
}

// settle stores the parts of a row that is not examined again.
func (w *weighed) settle(root int32, mask uint64, x *Exchanges) {
	if k, ok := searchPieces(&x.all, root); ok && k < w.masks.n {
		*w.masks.at(k) |= mask
	}
}

// judge updates whether an exchange passes with its current parts.
func (x *Exchanges) judge(scan *Scan, root int32) {
	if k, ok := searchPieces(&x.all, root); ok && k < x.weighed.masks.n {
		x.pass(root, scan.Compiled().Holds(*x.weighed.masks.at(k)|x.weighed.live[root]))
	}
}

// askPending examines the pending rows again.
func (x *Exchanges) askPending(scan *Scan) {
	w := &x.weighed
	asked, frame := w.pending, scan.frame()
	w.pending, w.live = asked[:0:0], nil
	for _, p := range asked {
		r, ok := x.store.Row(p.row)
		if !ok {
			continue
		}
		scan.at(frame, p.row, &r)
		if mask := scan.Compiled().Mask(frame); r.Flags&store.Pending != 0 {
			w.hold(p, mask, x)
		} else {
			w.settle(p.root, mask, x)
		}
	}
	for _, p := range asked {
		x.judge(scan, p.root)
	}
}
