package traffic

import (
	"time"

	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Pane is the list of frames.
type Pane struct {
	// Information from elsewhere about rows; each may be nil.
	Held func() map[int32]time.Duration // held frames by row, with the time that they have been held
	// Again returns the remark about a frame that was sent again from a recording, or nil for others.
	Again func(pal *paint.Palette, row int32) []paint.Span
	// Key returns the name of a key at the focus, for a hint; if nil, the key of the program.
	Key func(id string) string
	// Frame returns the pane next to the list that shows the selected frame, or nil.
	Frame func() app.Pane
	// View shows the frame of a row in its next view.
	View func(row int32)

	app.Place

	app   *frames.Program
	store *store.Store
	snap  store.Snapshot
	now   time.Time
	spin  int
	still bool // see [app.Tick]

	limit  int   // number of rows that exist for this pane, which grows only if it is not paused
	sel    int32 // selected row, which the filter may hide
	top    int   // index of the first visible row
	height int   // number of visible rows
	follow bool
	resume bool // following resumes on the way back, because a frame was selected from elsewhere
	paused bool
	scan   frames.Scan

	byExchange bool // the list shows exchanges, otherwise single frames
	exchanges  *frames.Exchanges
	grid       grid  // grid of the exchanges
	places     []int // index of each visible line of exchanges, or -1 for a line of a restart

	restarts []session.Restarted // oldest first
	state    session.State

	messages *sequence.Reader
	work     app.Work // search for the extremes
	seek     seek
	flawed   map[int32]bool // roots of exchanges with an error finding, when the search started
	held     map[int32]time.Duration
	agent    map[int32]bool
	// highlighted holds rows that are shown as if the user had marked them.
	highlighted map[int32]bool
}

// New returns the pane for the frames of a program. It follows the newest frame.
func New(a *frames.Program) *Pane {
	p := &Pane{app: a, store: a.Store(), follow: true, scan: a.NewScan(), messages: sequence.NewReader(a.Store()), byExchange: true, exchanges: frames.NewExchanges(a.Store())}
	p.scan.ByExchange = true
	frame := p.Selected
	p.Name, p.Own = "traffic", p.forExchange(append([]keys.Command{
		a.On(frame, keys.Command{ID: "frame.open", Keys: keys.On("enter"), Label: "frame", Help: "Show the frame in full: tree, bytes, request and response, HTTP", Words: "detail inspect view", Footer: 10}, a.Whole),
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Follow the newest entry", Words: "tail autoscroll scroll live bottom", Footer: 30, Run: p.ToggleFollow},
		{ID: "pause", Verb: keys.Pause, Label: "pause", Help: "Pause the list; recording continues", Words: "freeze stop", Footer: 35, Run: p.pause},
		p.viewCommand(),
		p.extremesCommand(),
		a.Pairs(frame, 40, a.Pair),
		{ID: "match.next", Verb: keys.NextMatch, Label: "next error", Help: "Go to the next frame with an error or a finding, or in an exchange to the next one that the filter has found", Words: "problem finding", Footer: 41, Run: func() { p.seekError(1) }},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous error", Help: "Go to the previous frame with an error or a finding", Words: "problem finding", Run: func() { p.seekError(-1) }},
		a.On(frame, keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "view", Help: "Show the frame in its next view: tree, bytes, text, both sides, HTTP", Words: "raw hex bytes tree", Footer: 28}, func(row int32) { p.View(row) }),
		a.Copies("the frame", frame),
		a.Explains(p.explained),
		{ID: "mark.next", Keys: keys.On("'"), Label: "next mark", Help: "Go to the next frame with a mark or a note", Words: "bookmark", Run: func() { p.nextMark(true) }},
		{ID: "mark.previous", Keys: keys.On(`"`), Label: "previous mark", Help: "Go to the previous frame with a mark or a note", Words: "bookmark", Run: func() { p.nextMark(false) }},
		a.On(frame, keys.Command{ID: "fold.toggle", Keys: keys.On("space"), Label: "unfold", Now: p.space, Help: "Show equal exchanges one by one, or the frames of an exchange below it, or hide them; mark any other frame", Words: "collapse expand repeated", Footer: 12}, p.toggle),
	}, append(a.Filtering(p.dropFilter), a.Commands("this frame", frame)...)...))
	return p
}

// Refresh implements [app.Pane]. It uses the clock of running requests.
func (p *Pane) Refresh(t app.Tick) (behind bool) {
	p.snap, p.now, p.still = p.store.Snapshot(), t.Now, t.Still
	p.spin++
	p.restarts, p.state = t.State.Restarts, t.State
	if p.Held != nil {
		p.held = p.Held()
	}
	p.agent = p.app.Agents()
	return p.readRows() || p.work.Busy()
}

// readRows reads the rows that the pane now includes.
func (p *Pane) readRows() (behind bool) {
	if !p.paused {
		p.limit = p.snap.Rows
	}
	behind = p.scan.Look(p.limit, p.snap.Generation)
	if p.byExchange {
		behind = p.exchanges.Look(&p.scan, int32(p.limit), p.snap.Generation) || behind
		if root := p.store.Root(p.sel); !p.follow && p.exchanges.IsHidden(root) { // it was selected before the equal ones arrived
			p.exchanges.ToggleRepeats(root)
		}
	}
	if p.seek.step != 0 {
		p.advanceSeek()
		behind = behind || p.seek.step != 0
	}
	p.toNewest()
	return behind
}

// Neighbor implements [app.Neighbored].
func (p *Pane) Neighbor() []keys.Command {
	if p.Frame != nil {
		if frame := p.Frame(); frame != nil {
			return frame.Commands()
		}
	}
	return nil
}

// toNewest selects the newest row if the list follows.
func (p *Pane) toNewest() {
	if last := p.Len() - 1; p.follow && !p.paused && last >= 0 {
		p.sel = p.row(last)
	}
}

// Len returns the number of shown rows.
func (p *Pane) Len() int {
	if p.byExchange {
		return p.exchanges.Len()
	}
	if p.scan.On() {
		return len(p.scan.Passed)
	}
	return p.limit
}

// row returns the row at an index of the shown rows.
func (p *Pane) row(i int) int32 {
	if p.byExchange {
		row, _ := p.exchanges.At(i)
		return row
	}
	if p.scan.On() {
		return p.scan.Passed[i]
	}
	return int32(i)
}

// cursor returns the index of the selected row, or of the next row that matches the filter, among the rows that
// the filter has read.
func (p *Pane) cursor() int {
	if p.byExchange {
		return p.exchanges.IndexOf(p.sel)
	}
	if p.scan.On() {
		return p.scan.Index(p.sel)
	}
	return min(int(p.sel), p.Len()-1)
}

// Selected returns the row under the cursor, or store.None.
func (p *Pane) Selected() int32 {
	if i := p.cursor(); i >= 0 {
		return p.row(i)
	}
	return store.None
}

// Select moves to a row. It removes a filter that hides the row.
func (p *Pane) Select(row int32) {
	if row < 0 {
		return
	}
	if int(row) >= p.limit {
		p.paused, p.limit = false, p.snap.Rows
	}
	p.follow, p.resume = false, p.follow || p.resume
	p.sel = min(row, int32(p.limit)-1)
	if p.scan.On() && !p.passes() {
		p.app.Filter.Drop()
	}
	p.reveal()
}

// SelectNear moves to a row, or to the next one that matches the filter.
func (p *Pane) SelectNear(row int32) {
	if row < 0 || int(row) >= p.limit {
		return
	}
	p.follow, p.resume = false, p.follow || p.resume
	p.sel = row
	p.reveal()
}

// Following reports whether the cursor stays at the newest frame.
func (p *Pane) Following() bool { return p.follow }

// ToggleFollow starts or stops following the newest frame.
func (p *Pane) ToggleFollow() {
	p.sel = max(p.Selected(), 0)
	p.follow, p.paused = !p.follow, false
	p.readRows()
}

// FollowSent resumes following, because the user has sent something. A pause stays.
func (p *Pane) FollowSent() { p.follow, p.resume = true, false }

func (p *Pane) pause() {
	p.paused = !p.paused
	p.readRows()
}

// toggle unfolds or folds an exchange; a single frame is marked.
func (p *Pane) toggle(row int32) {
	if p.byExchange {
		p.toggleExchange(row)
	} else {
		p.app.Mark(row)
	}
}

// dropFilter removes the filter. The selected row stays selected.
func (p *Pane) dropFilter() bool {
	found := p.Selected()
	if !p.app.Filter.Drop() {
		return false
	}
	if found != store.None {
		if p.sel = found; p.follow && int(found) < p.limit-1 {
			p.follow, p.resume = false, true
		}
	}
	return true
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	p.seek = seek{}
	if m == keys.Back {
		if p.dropFilter() {
			return true
		}
		p.follow, p.resume = p.follow || p.resume, false
		return false
	}
	return keys.Scroll(p, m)
}

// Move moves the cursor. The list follows while the cursor is at the newest frame.
func (p *Pane) Move(n int) {
	p.resume = false
	last := p.Len() - 1
	if to := p.cursor() + n; last >= 0 {
		p.sel = p.row(max(0, min(to, last)))
		p.follow = to >= last
	}
}

// Screen implements [keys.Scroller].
func (p *Pane) Screen() int { return p.height }

// Home moves to the first row.
func (p *Pane) Home() { p.Move(-p.Len()) }

// End moves to the newest row.
func (p *Pane) End() { p.Move(p.Len()) }

// turn moves like the wheel.
func (p *Pane) turn(n int) {
	last := p.Len() - 1
	if to := max(0, min(p.cursor()+n, last)); last >= 0 {
		p.sel = p.row(to)
		p.follow = n > 0 && to == last
	}
}

// pressLine selects the row in a line of the list.
func (p *Pane) pressLine(y int) {
	switch {
	case !p.byExchange:
		p.press(p.top + y)
	case y < len(p.places) && p.places[y] >= 0:
		p.press(p.places[y])
	}
}

// press selects the row at an index; if it is already selected, it shows the frame.
func (p *Pane) press(index int) {
	switch {
	case index >= p.Len():
	case index == p.cursor():
		p.app.Whole(p.row(index))
	default:
		p.sel, p.follow, p.resume = p.row(index), false, false
	}
}
