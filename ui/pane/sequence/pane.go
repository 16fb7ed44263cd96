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
	"mcptea/ui/frames"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
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
	cols   int  // of the diagram at the last painting, with the border
	lines  []line
	spin   int

	input   input.Filter
	applied string
	wrong   error // why the text is not a filter
	search  search

	exchange []int32 // rows of the selected exchange, in their order
	pending  bool    // its request
	known    map[int32]sequence.Message
	bodies   map[int32]document
}

// New returns the pane over a store and the timeline of it. It follows.
func New(s *store.Store, tl *timeline.Timeline) *Pane {
	return &Pane{store: s, tl: tl, client: "mcptea", lead: store.None, follow: true, search: search{store: s, scanner: s.NewScanner()}, known: map[int32]sequence.Message{}, bodies: map[int32]document{}}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Sequence }

// SetNames sets the name of the server, which is untrusted, and the transport.
func (p *Pane) SetNames(server, over string) { p.server, p.over = server, over }

// Filter is the text of the filter in force.
func (p *Pane) Filter() string { return p.applied }

// SetFilter replaces the filter.
func (p *Pane) SetFilter(text string) {
	if text != p.input.Value() {
		p.input.SetValue(text)
	}
	p.apply()
}

func (p *Pane) apply() {
	text := p.input.Value()
	if text == p.applied && p.wrong == nil {
		return
	}
	if p.wrong = p.search.set(text); p.wrong == nil {
		p.applied, p.top = text, 0
	}
}

// Refresh takes note of what is new. It reports whether the filter is behind, so that the
// pane has to be refreshed again, and whether something is pending.
func (p *Pane) Refresh(rows, spin int) (behind, busy bool) {
	p.rows, p.spin = rows, spin
	behind = p.search.advance(rows)
	if p.follow || p.lead == store.None {
		if lead := p.last(); lead != store.None {
			p.lead = lead
		}
	}
	p.toCall()
	return behind, p.pending
}

// last is the last exchange that is shown.
func (p *Pane) last() int32 {
	if n := len(p.search.shown); p.search.on() {
		if n == 0 {
			return store.None
		}
		return p.leadOf(p.search.shown[n-1])
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

// Typing reports whether keys are text for the filter.
func (p *Pane) Typing() bool { return p.input.Typing() }

// Type takes a key while the filter is being typed.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	taken := p.input.Type(k, command.FilterKeys())
	p.apply()
	return nil, taken
}

// Paste takes pasted text while the filter is being typed.
func (p *Pane) Paste(text string) {
	p.input.Insert(text)
	p.apply()
}

// Cursor is where the text cursor is while the filter is typed: in the border.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x, 0, ok
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.FilterTraffic:
		p.input.Open()
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
		if p.applied != "" || p.wrong != nil {
			p.SetFilter("")
			return nil
		}
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
	switch {
	case name == command.Top && p.search.on() && len(p.search.shown) > 0:
		p.lead = p.leadOf(p.search.shown[0])
	case name == command.Top:
		p.lead = p.leadFrom(0, 1)
	case name == command.Bottom:
		p.lead = p.last()
	default:
		step := 1
		if by < 0 {
			step, by = -1, -by
		}
		for range by {
			var next int32
			if p.search.on() {
				next = p.leadNear(p.indexOf(p.lead)+min(step, 0), step)
			} else {
				next = p.leadFrom(p.lead+int32(step), int32(step))
			}
			if next == store.None {
				break
			}
			p.lead = next
		}
	}
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
func (p *Pane) Press(x, y int) action.Action {
	if y == 0 {
		return frames.ShowView(paint.ChoiceAt(frames.ViewNames(), x, p.cols))
	}
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
	count := p.count()
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

// arrange chooses the lines in sight: the selected exchange is among them, from its
// first row on.
func (p *Pane) arrange(h int) {
	if p.only {
		p.top = 0
		p.lines = p.linesFrom(0, h)
		return
	}
	lead := p.indexOf(p.lead)
	if p.lines = p.linesFrom(p.top, h); lead < p.top || !p.showsExchange() {
		p.top = max(0, lead-h/4)
		p.lines = p.linesFrom(p.top, h)
		if !p.showsExchange() {
			p.top = lead
			p.lines = p.linesFrom(p.top, h)
		}
	}
	for p.top > 0 && len(p.lines) < h { // no empty lines below while there are rows above
		p.top--
		p.lines = p.linesFrom(p.top, h)
	}
}

// showsExchange reports whether the selected exchange is in sight, up to its last row that
// is shown.
func (p *Pane) showsExchange() bool {
	in := func(row int32) bool {
		return slices.ContainsFunc(p.lines, func(l line) bool { return l.row == row })
	}
	if !p.search.on() {
		return len(p.exchange) == 0 || in(p.lead) && in(p.exchange[len(p.exchange)-1])
	}
	for _, row := range p.exchange {
		if _, passes := slices.BinarySearch(p.search.shown, row); passes && !in(row) {
			return false
		}
	}
	return true
}
