// Package sequence shows the frames of a session as a sequence diagram between the client and the server, with
// the JSON of the selected exchange next to it.
//
// It reads the visible rows from the store. It does not depend on other panes and sends nothing.
//
// Tests: ui/pane/sequence_test.go
package sequence

import (
	"slices"

	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/keys"
)

// A Pane is the diagram.
type Pane struct {
	// Names returns the name of the server, which is untrusted, and the transport.
	Names func() (server, over string)
	// By returns who answered the server requests, by their rows, or nil if that is unknown.
	By func() map[int32]string

	app.Place

	app       *frames.Program
	store     *store.Store
	exchanges *frames.Exchanges // the selected one is open

	rows   int   // rows of the store
	lead   int32 // root of the selected exchange, or store.None
	follow bool
	only   bool // the selected exchange only, not the whole session
	// unfolded shows each progress notification.
	unfolded bool
	top      int // index of the first visible entry
	lines    []line
	tick     app.Tick
	scan     frames.Scan
	by       map[int32]string

	exchange []int32 // rows of the selected exchange, in their order
	pending  bool    // its request is pending
	messages *sequence.Reader
	bodies   map[int32]*jsonview.View
}

// New returns the pane over the frames of a program. It follows.
func New(a *frames.Program) *Pane {
	p := &Pane{app: a, store: a.Store(), exchanges: frames.NewExchanges(a.Store()), lead: store.None, follow: true, scan: a.NewScan(), messages: sequence.NewReader(a.Store()), bodies: map[int32]*jsonview.View{}}
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
	p.scan.Look(p.rows, snap.Generation)
	behind := p.exchanges.Look(nil, int32(p.rows), snap.Generation)
	if p.follow || p.lead == store.None {
		if lead := p.last(); lead != store.None {
			p.lead = lead
		}
	}
	p.read()
	return p.pending || behind
}

// last returns the last shown exchange.
func (p *Pane) last() int32 {
	if n := len(p.scan.Passed); p.scan.On() {
		if n == 0 {
			return store.None
		}
		return p.store.Root(p.scan.Passed[n-1])
	}
	return p.exchanges.Step(int32(p.rows)-1, p.rows)
}

// Select moves to the exchange that a row belongs to.
func (p *Pane) Select(row int32) {
	p.follow = row == store.None
	if p.follow {
		return
	}
	p.lead = p.store.Root(row)
	p.read()
}

// maxRelated bounds the rows of an exchange.
const maxRelated = 600

// read reads which rows the selected exchange has.
func (p *Pane) read() {
	if p.exchange, p.pending = p.exchange[:0], false; p.lead == store.None {
		return
	}
	p.exchange = append(p.exchange, p.lead)
	for _, row := range p.exchanges.Open(p.lead, maxRelated) {
		if r, ok := p.store.Row(row); ok && !r.IsEvent() {
			p.exchange = append(p.exchange, row)
		}
	}
	info, _ := p.store.Row(p.lead)
	p.pending = info.Flags&(store.Pending|store.Acknowledged) == store.Pending
}

// Following reports whether the newest exchange is selected, even when new ones arrive.
func (p *Pane) Following() bool { return p.follow }

// Selected returns the first row of the selected exchange.
func (p *Pane) Selected() int32 { return p.lead }

// Exchange returns the rows of the selected exchange, in order.
func (p *Pane) Exchange() []int32 { return slices.Clone(p.exchange) }

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back {
		return p.app.Filter.Drop()
	}
	return keys.Scroll(p, m)
}

// Move selects the exchange n places away.
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
			next = p.exchanges.Step(p.lead, step)
		}
		if next == store.None || next == p.lead {
			break
		}
		p.lead = next
	}
	p.moved()
}

// Screen returns about the number of visible exchanges: most have two lines.
func (p *Pane) Screen() int { return len(p.lines) / 2 }

// Home moves to the first exchange.
func (p *Pane) Home() {
	if !p.scan.On() {
		p.lead = p.exchanges.Step(0, -1)
	} else if len(p.scan.Passed) > 0 {
		p.lead = p.store.Root(p.scan.Passed[0])
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
	p.read()
}

// maxSeek bounds the rows examined for the next exchange that passes.
const maxSeek = 50_000

// count returns the number of entries in the diagram.
func (p *Pane) count() int {
	switch {
	case p.only:
		return len(p.exchange)
	case p.scan.On():
		return len(p.scan.Passed)
	}
	return p.rows
}

// entry returns the row of an entry.
func (p *Pane) entry(i int) int32 {
	switch {
	case p.only:
		return p.exchange[i]
	case p.scan.On():
		return p.scan.Passed[i]
	}
	return int32(i)
}

// indexOf returns the first entry at or after a row.
func (p *Pane) indexOf(row int32) int {
	switch {
	case p.only:
		return 0
	case p.scan.On():
		return max(0, p.scan.Index(row))
	}
	return int(row)
}

// leadNear returns the next different exchange in a direction, or store.None.
func (p *Pane) leadNear(at, step int) int32 {
	for i, n := at, 0; i >= 0 && i < len(p.scan.Passed) && n < maxSeek; i, n = i+step, n+1 {
		if lead := p.store.Root(p.scan.Passed[i]); lead != p.lead {
			return lead
		}
	}
	return store.None
}
