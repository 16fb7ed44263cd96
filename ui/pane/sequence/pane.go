// Package sequence shows the frames of a session as a sequence diagram between the client
// and the server, with the JSON of the selected exchange beside it.
//
// It reads the rows in sight from the store. It knows no other pane and sends nothing.
package sequence

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/record/sequence"
	"mcptea/session/record/store"
	"mcptea/session/record/timeline"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/keys"
)

// Pane is the diagram.
type Pane struct {
	// Names are the name of the server, which is untrusted, and the transport.
	Names func() (server, over string)
	// By says who responded to the requests of the server, by their rows; nil if none of them is known.
	By func() map[int32]string

	app.Place

	app   *frames.Program
	store *store.Store
	tl    *timeline.Timeline

	rows   int   // of the store
	lead   int32 // the first row of the selected exchange; store.None without one
	follow bool
	only   bool // the selected exchange only, not the whole session
	// unfolded shows each progress notification.
	unfolded bool
	top      int // index of the first entry in sight
	lines    []line
	tick     app.Tick
	scan     frames.Scan
	by       map[int32]string

	exchange []int32 // rows of the selected exchange, in their order
	pending  bool    // its request
	messages *sequence.Reader
	bodies   map[int32]*jsonview.View
}

// New returns the pane over the frames of a program and the timeline of them. It follows.
func New(a *frames.Program, tl *timeline.Timeline) *Pane {
	p := &Pane{app: a, store: a.Store(), tl: tl, lead: store.None, follow: true, scan: a.NewScan(), messages: sequence.NewReader(a.Store()), bodies: map[int32]*jsonview.View{}}
	const first = "the first frame of the exchange"
	p.Name, p.Own = "sequence diagram", append([]keys.Command{
		a.On(p.Selected, keys.Command{ID: "frame.open", Keys: keys.On("enter"), Label: "frame", Help: "Show " + first, Words: "detail wire", Footer: 10}, func(row int32) { a.Whole(row) }),
		{ID: "view.shown", Verb: keys.NextView, Label: "whole/exchange", Help: "Show the whole session, or only the selected exchange", Words: "all only", Footer: 14, Run: p.toggleOnly},
		{ID: "fold.toggle", Keys: keys.On("space"), Label: "fold", Help: "Show each progress notification, or fold those that follow one another", Words: "collapse expand", Footer: 16, Run: func() { p.unfolded = !p.unfolded }, Off: p.nothingFolds},
		a.Next(frames.ExchangeList),
		a.Copies(first, p.Selected),
		a.Explains(p.Selected),
	}, append(a.Filtering(func() bool { return a.Filter.Drop() }), a.Commands(first, p.Selected)...)...)
	return p
}

func (p *Pane) toggleOnly() { p.only, p.top = !p.only, 0 }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	snap := p.store.Snapshot()
	p.rows, p.tick = snap.Rows, t
	if p.By != nil {
		p.by = p.By()
	}
	p.scan.Rows(p.rows, snap.Generation)
	if p.follow || p.lead == store.None {
		if lead := p.last(); lead != store.None {
			p.lead = lead
		}
	}
	p.toCall()
	return p.pending
}

// last is the last exchange that is shown.
func (p *Pane) last() int32 {
	if n := len(p.scan.Passed); p.scan.On() {
		if n == 0 {
			return store.None
		}
		return p.leadOf(p.scan.Passed[n-1])
	}
	return p.leadFrom(int32(p.rows)-1, -1)
}

// Select moves to the exchange that a row belongs to.
func (p *Pane) Select(row int32) {
	p.follow = row == store.None
	if p.follow {
		return
	}
	p.lead = row
	if m, ok := p.messages.Message(row); ok && m.Request != store.None {
		p.lead = m.Request
	}
	p.toCall()
}

// toCall moves from a request of the server to the call that it belongs to, as soon as
// that is known.
func (p *Pane) toCall() {
	if p.lead != store.None {
		if call := p.parent(p.lead); call != store.None {
			p.lead = call
		}
	}
	p.exchange, p.pending = p.exchangeOf(p.lead)
}

// Selected is the first row of the selected exchange.
func (p *Pane) Selected() int32 { return p.lead }

// Exchange are the rows of the selected exchange, in their order.
func (p *Pane) Exchange() []int32 { return slices.Clone(p.exchange) }

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back {
		return p.app.Filter.Drop()
	}
	return keys.Scroll(p, m)
}

// Move selects the exchange so many places further.
func (p *Pane) Move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for range n {
		var next int32
		if p.scan.On() {
			next = p.leadNear(p.indexOf(p.lead)+min(step, 0), step)
		} else {
			next = p.leadFrom(p.lead+int32(step), int32(step))
		}
		if next == store.None {
			break
		}
		p.lead = next
	}
	p.moved()
}

// Page moves by ten exchanges.
func (p *Pane) Page(n int) { p.Move(10 * n) }

// HalfPage moves by five exchanges.
func (p *Pane) HalfPage(n int) { p.Move(5 * n) }

// Home moves to the first exchange.
func (p *Pane) Home() {
	if !p.scan.On() {
		p.lead = p.leadFrom(0, 1)
	} else if len(p.scan.Passed) > 0 {
		p.lead = p.leadOf(p.scan.Passed[0])
	}
	p.moved()
}

// End moves to the last exchange.
func (p *Pane) End() {
	p.lead = p.last()
	p.moved()
}

// moved follows the move of the user: being at the last exchange is following.
func (p *Pane) moved() {
	p.follow = p.lead == p.last()
	p.toCall()
}

// maxSeek bounds the rows that are looked at for the next exchange.
const maxSeek = 50_000

// leadFrom is the nearest row from one on that begins an exchange: a request of the
// client, or a row that belongs to no request. Server requests count as such when they
// belong to no call.
func (p *Pane) leadFrom(from, step int32) int32 {
	for n := 0; from >= 0 && int(from) < p.rows && n < maxSeek; from, n = from+step, n+1 {
		r, ok := p.store.Row(from)
		switch {
		case !ok:
			return store.None
		case r.Kind == jsonrpc.Request && p.parent(from) == store.None,
			r.Kind != jsonrpc.Request && r.Pair == store.None && r.Request() == store.None:
			return from
		}
	}
	if from < 0 || int(from) >= p.rows {
		return store.None
	}
	return p.requestFrom(from, step)
}

// requestFrom is the row of the nearest request that is not nested under another one,
// where many other rows are between.
func (p *Pane) requestFrom(from, step int32) int32 {
	first, _ := p.store.Row(from)
	i := p.tl.At(time.Unix(0, first.Time))
	if step < 0 && i == timeline.None {
		_, i = p.tl.Ends(timeline.Folds{Nested: allFolded})
	} else if step < 0 {
		i = p.tl.Walk(i, -1, timeline.Folds{Nested: allFolded})
	}
	q, ok := p.tl.Request(i)
	if !ok || (q.Row-from)*step < 0 {
		return store.None
	}
	return q.Row
}

func allFolded(int) bool { return true }

// parent is the row of the call that a request of the server belongs to.
func (p *Pane) parent(row int32) int32 {
	q, ok := p.tl.Request(p.tl.OfRow(row))
	if !ok || q.Parent == timeline.None {
		return store.None
	}
	call, _ := p.tl.Request(q.Parent)
	return call.Row
}

// maxRelated bounds the notifications and the nested requests of an exchange.
const maxRelated = 300

// exchangeOf are the rows of the exchange that begins with a row.
func (p *Pane) exchangeOf(lead int32) (rows []int32, pending bool) {
	if lead == store.None {
		return nil, false
	}
	rows = []int32{lead}
	info, _ := p.store.Row(lead)
	if info.Pair != store.None {
		rows = append(rows, info.Pair)
	}
	i := p.tl.OfRow(lead)
	for _, n := range p.tl.NotificationsOf(i, maxRelated) {
		rows = append(rows, n.Row)
	}
	for _, q := range p.tl.NestedOf(i, maxRelated) {
		rows = append(rows, q.Row)
		if q.Response != store.None {
			rows = append(rows, q.Response)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows), info.Flags&(store.Pending|store.Acknowledged) == store.Pending
}

// count is how many entries the diagram has.
func (p *Pane) count() int {
	switch {
	case p.only:
		return len(p.exchange)
	case p.scan.On():
		return len(p.scan.Passed)
	}
	return p.rows
}

// entry is the row of an entry.
func (p *Pane) entry(i int) int32 {
	switch {
	case p.only:
		return p.exchange[i]
	case p.scan.On():
		return p.scan.Passed[i]
	}
	return int32(i)
}

// indexOf is the first entry at a row or after it.
func (p *Pane) indexOf(row int32) int {
	switch {
	case p.only:
		return 0
	case p.scan.On():
		return max(0, p.scan.Index(row))
	}
	return int(row)
}

// leadNear is the exchange of the entry so many entries away; store.None without one.
func (p *Pane) leadNear(at, step int) int32 {
	for i, n := at, 0; i >= 0 && i < len(p.scan.Passed) && n < maxSeek; i, n = i+step, n+1 {
		if lead := p.leadOf(p.scan.Passed[i]); lead != p.lead {
			return lead
		}
	}
	return store.None
}

// leadOf is the first row of the exchange that a row belongs to.
func (p *Pane) leadOf(row int32) int32 {
	if m, ok := p.messages.Message(row); ok && m.Request != store.None {
		row = m.Request
	}
	if call := p.parent(row); call != store.None {
		row = call
	}
	return row
}
