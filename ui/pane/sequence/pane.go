// Package sequence shows the frames of a session as a sequence diagram between the client
// and the server, with the JSON of the selected exchange beside it.
//
// It reads the rows in sight from the store. It knows no other pane and sends nothing.
package sequence

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/sequence"
	"mcptea/session/store"
	"mcptea/session/timeline"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// Pane is the diagram. It belongs to the goroutine that draws.
type Pane struct {
	store  *store.Store
	tl     *timeline.Timeline
	client string // the name of the program
	server string // the name of the server; untrusted
	over   string // the transport

	rows   int   // of the store
	lead   int32 // the first row of the selected exchange; store.None without one
	follow bool
	only   bool // the selected exchange only, not the whole session
	top    int  // index of the first entry in sight
	height int  // lines of the diagram at the last painting
	lines  []line
	filter string
	spin   int

	exchange []int32 // rows of the selected exchange, in their order
	pending  bool    // its request
	known    map[int32]sequence.Message
	frames   map[int32]document
}

// New returns the pane over a store and the timeline of it. It follows.
func New(s *store.Store, tl *timeline.Timeline) *Pane {
	return &Pane{store: s, tl: tl, client: "mcptea", lead: store.None, follow: true, known: map[int32]sequence.Message{}, frames: map[int32]document{}}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Sequence }

// SetNames sets the name of the server, which is untrusted, and the transport.
func (p *Pane) SetNames(server, over string) { p.server, p.over = server, over }

// SetFilter keeps the filter of the list, which is not applied here.
func (p *Pane) SetFilter(text string) { p.filter = text }

// Filter is the filter of the list.
func (p *Pane) Filter() string { return p.filter }

// Refresh takes note of what is new, and reports whether something is pending.
func (p *Pane) Refresh(rows, spin int) (busy bool) {
	p.rows, p.spin = rows, spin
	if p.follow || p.lead == store.None {
		if lead := p.leadFrom(int32(rows)-1, -1); lead != store.None {
			p.lead = lead
		}
	}
	p.toCall()
	return p.pending
}

// Select moves to the exchange that a row belongs to.
func (p *Pane) Select(row int32) {
	p.follow = row == store.None
	if p.follow {
		return
	}
	p.lead = row
	if m, ok := p.message(row); ok && m.Request != store.None {
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

// Typing reports whether keys are text: never here.
func (p *Pane) Typing() bool { return false }

// Type takes no key.
func (p *Pane) Type(tea.KeyPressMsg) (action.Action, bool) { return nil, false }

// Paste takes no text.
func (p *Pane) Paste(string) {}

// Cursor is not shown.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.OpenFrame:
		return action.OpenRequest{Row: p.lead}
	case command.ToggleOnly:
		p.only, p.top = !p.only, 0
	case command.MarkFrame:
		return action.MarkFrame{Row: p.lead}
	case command.EditNote:
		return action.EditNote{Row: p.lead}
	case command.Resend, command.EditFrame, command.CopyFrame, command.CancelRequest:
		return action.OnFrame{Row: p.lead, Command: name}
	case command.Explain:
		return action.ExplainRow{Row: p.lead}
	case command.Back:
		return action.Leave{}
	default:
		if by, ok := command.Steps(name, 10, 5, p.rows); ok {
			p.move(name, by)
		}
	}
	return nil
}

// move selects the exchange so many places further. Being at the last one is following.
func (p *Pane) move(name command.ID, by int) {
	switch name {
	case command.Top:
		p.lead = p.leadFrom(0, 1)
	case command.Bottom:
		p.lead = p.leadFrom(int32(p.rows)-1, -1)
	default:
		step := int32(1)
		if by < 0 {
			step, by = -1, -by
		}
		for range by {
			next := p.leadFrom(p.lead+step, step)
			if next == store.None {
				break
			}
			p.lead = next
		}
	}
	p.follow = p.lead == p.leadFrom(int32(p.rows)-1, -1)
	p.exchange, p.pending = p.exchangeOf(p.lead)
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
			r.Kind != jsonrpc.Request && r.Pair == store.None && r.Cause == store.None:
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
		_, i = p.tl.Ends(allFolded)
	} else if step < 0 {
		i = p.tl.Walk(i, -1, allFolded)
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

// message is that of a row, which is read once: later only its pair can change.
func (p *Pane) message(row int32) (sequence.Message, bool) {
	if m, ok := p.known[row]; ok {
		return m, true
	}
	m, ok := sequence.OfRow(p.store, row)
	if ok {
		if len(p.known) > 4096 {
			clear(p.known)
		}
		p.known[row] = m
	}
	return m, ok
}

// Scroll moves by exchanges, as the wheel does.
func (p *Pane) Scroll(n int) {
	name := command.Down
	if n < 0 {
		name = command.Up
	}
	p.move(name, n)
}

// Press selects the exchange at a cell; on the selected one it shows the frame.
func (p *Pane) Press(_, y int) action.Action {
	n := y - 2
	if n < 0 || n >= len(p.lines) || p.lines[n].row == store.None {
		return nil
	}
	row, before := p.lines[n].row, p.lead
	if p.Select(row); p.lead == before {
		return action.OpenRequest{Row: row}
	}
	return nil
}

// line is a line of the diagram: a row, or the time in which nothing happened.
type line struct {
	row int32 // store.None for a gap
	gap time.Duration
}

// minGap is from when the time between two rows is shown as a line.
const minGap = 2 * time.Second

// linesFrom are the lines from an entry on.
func (p *Pane) linesFrom(from, most int) []line {
	lines := make([]line, 0, most)
	count := p.rows
	if p.only {
		count = len(p.exchange)
	}
	for i := max(0, from); i < count && len(lines) < most; i++ {
		row := p.entry(i)
		if r, ok := p.store.Row(row); ok && i > 0 && i > from {
			before, _ := p.store.Row(p.entry(i - 1))
			if gap := time.Duration(r.Time - before.Time); gap >= minGap {
				lines = append(lines, line{row: store.None, gap: gap})
			}
		}
		lines = append(lines, line{row: row})
	}
	return lines[:min(len(lines), most)]
}

func (p *Pane) entry(i int) int32 {
	if p.only {
		return p.exchange[i]
	}
	return int32(i)
}

// arrange chooses the lines in sight: the selected exchange is among them, from its
// first row on.
func (p *Pane) arrange(h int) {
	p.height = h
	if p.only {
		p.top = 0
		p.lines = p.linesFrom(0, h)
		return
	}
	lead := int(p.lead)
	if p.lines = p.linesFrom(p.top, h); lead < p.top || !p.shows(int32(lead)) || !p.showsEnd() {
		p.top = max(0, lead-h/4)
		p.lines = p.linesFrom(p.top, h)
		if !p.showsEnd() || !p.shows(int32(lead)) {
			p.top = lead
			p.lines = p.linesFrom(p.top, h)
		}
	}
	for p.top > 0 && len(p.lines) < h { // no empty lines below while there are rows above
		p.top--
		p.lines = p.linesFrom(p.top, h)
	}
}

func (p *Pane) shows(row int32) bool {
	return slices.ContainsFunc(p.lines, func(l line) bool { return l.row == row })
}

// showsEnd reports whether the last row of the selected exchange is in sight.
func (p *Pane) showsEnd() bool {
	return len(p.exchange) == 0 || p.shows(p.exchange[len(p.exchange)-1])
}
