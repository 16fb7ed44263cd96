package timeline

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/session/timeline"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// Pane is the waterfall with what belongs to it. It belongs to the goroutine that draws.
type Pane struct {
	store *store.Store
	tl    *timeline.Timeline
	snap  timeline.Snapshot
	now   time.Time
	spin  int

	cursor int // index of the selected request; timeline.None without one
	top    int // index of the first request in sight
	follow bool
	height int // requests in sight at the last painting
	cols   int // painted, with the border
	head   int // rows above them, with the border
	wanted int32
	// kept is the request that was selected before the filter has changed, until the
	// filter has looked at it; timeline.None without one.
	kept   int
	folded map[int]bool

	window    window
	sort      column
	latency   []timeline.Latency // sorted
	published int                // snapshot that they are of

	input   input.Filter
	applied string
	wrong   error // why the text is not a filter
	search  search

	ids map[int32]string // raw ids by the row of the request
}

// New returns the pane over a timeline of a store.
func New(s *store.Store, tl *timeline.Timeline) *Pane {
	return &Pane{store: s, tl: tl, cursor: timeline.None, top: timeline.None, kept: timeline.None, follow: true, wanted: store.None, folded: map[int]bool{}, sort: byP95, search: newSearch(s), ids: map[int32]string{}}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Timeline }

// Refresh takes note of what is new. It reports whether the filter is behind, so that
// the pane has to be refreshed again, and whether a clock runs.
func (p *Pane) Refresh(now time.Time, spin int) (behind, busy bool) {
	p.snap, p.now, p.spin = p.tl.Snapshot(), now, spin
	if p.snap.Published != p.published {
		p.published, p.latency = p.snap.Published, p.tl.Latencies()
		slices.SortStableFunc(p.latency, p.sort.compare)
	}
	if p.wanted != store.None && int(p.wanted) < p.snap.Rows {
		if i := p.tl.OfRow(p.wanted); i != timeline.None {
			p.cursor, p.follow, p.kept = i, false, timeline.None
		}
		p.wanted = store.None
	}
	behind = p.search.advance(p.tl, p.snap.Requests)
	if p.kept != timeline.None {
		if p.cursor = p.kept; !behind || p.search.scanned > p.kept && p.search.passed(p.kept) {
			p.kept = timeline.None
		}
	}
	if p.follow || p.cursor == timeline.None {
		_, p.cursor = p.ends()
	}
	if p.search.on() && p.cursor != timeline.None {
		p.cursor = p.search.walk(p.cursor, 0)
	}
	return behind, !p.snap.CaughtUp
}

// Select moves to the request that a row of the store belongs to, as soon as it was read.
func (p *Pane) Select(row int32) {
	p.wanted, p.follow = row, row == store.None
}

// Selected is the row of the selected request, store.None without one.
func (p *Pane) Selected() int32 {
	if r, ok := p.tl.Request(p.cursor); ok {
		return r.Row
	}
	return store.None
}

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
		p.applied = text
		if p.kept == timeline.None && !p.follow {
			p.kept = p.cursor
		}
	}
}

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

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	row := p.Selected()
	switch name {
	case command.FilterTraffic:
		p.input.Open()
	case command.OpenFrame:
		return action.OpenRequest{Row: row}
	case command.ToggleFold:
		p.toggleFold()
	case command.ZoomIn:
		p.zoom(1, 2)
	case command.ZoomOut:
		p.zoom(2, 1)
	case command.PanLeft:
		p.pan(-1)
	case command.PanRight:
		p.pan(1)
	case command.WholeSession:
		p.window.toggleWhole()
	case command.SortLatencies:
		p.sort = (p.sort + 1) % columnCount
		slices.SortStableFunc(p.latency, p.sort.compare)
	case command.NextError:
		return p.nextError(1)
	case command.PreviousError:
		return p.nextError(-1)
	case command.Resend, command.EditFrame, command.CopyFrame, command.CancelRequest:
		return action.OnFrame{Row: row, Command: name}
	case command.MarkFrame:
		return action.MarkFrame{Row: row}
	case command.EditNote:
		return action.EditNote{Row: row}
	case command.Explain:
		return action.ExplainRow{Row: row}
	case command.Back:
		if p.applied != "" || p.wrong != nil {
			p.SetFilter("")
			return nil
		}
		return action.Leave{}
	default:
		page := max(1, p.height-1)
		if by, ok := command.Steps(name, page, page/2, p.snap.Requests); ok {
			p.move(name, by)
		}
	}
	return nil
}

// move moves the cursor. Being at the last request is following it.
func (p *Pane) move(name command.ID, by int) {
	p.kept = timeline.None // where the user goes now counts
	first, last := p.ends()
	switch name {
	case command.Top:
		p.cursor = first
	case command.Bottom:
		p.cursor = last
	default:
		p.cursor = p.walk(p.cursor, by)
	}
	p.follow = p.cursor == last && by > 0
	p.bringIntoWindow()
}

// maxSeek bounds the requests that are looked at for the next error.
const maxSeek = 20_000

// nextError selects the next request that failed, in a direction.
func (p *Pane) nextError(step int) action.Action {
	for i, n := p.cursor, 0; n < maxSeek; n++ {
		next := p.walk(i, step)
		if next == i || next == timeline.None {
			break
		}
		if q, _ := p.tl.Request(next); q.IsError {
			p.cursor, p.follow, p.kept = next, false, timeline.None
			p.bringIntoWindow()
			return nil
		}
		i = next
	}
	return action.Flash{Text: "No more errors in this direction."}
}

// walk moves through the requests that are shown, in the order of display.
func (p *Pane) walk(from, by int) int {
	if from == timeline.None {
		return timeline.None
	}
	if p.search.on() {
		return p.search.walk(from, by)
	}
	return p.tl.Walk(from, by, p.isFolded)
}

func (p *Pane) ends() (first, last int) {
	if p.search.on() {
		return p.search.ends()
	}
	return p.tl.Ends(p.isFolded)
}

func (p *Pane) isFolded(i int) bool { return p.folded[i] }

// toggleFold hides the requests that are nested under the selected one, or under the
// one that it is nested under, or shows them.
func (p *Pane) toggleFold() {
	r, ok := p.tl.Request(p.cursor)
	if !ok {
		return
	}
	if r.Parent != timeline.None {
		p.cursor, p.kept = r.Parent, timeline.None
		r, _ = p.tl.Request(r.Parent)
	}
	if r.Nested != timeline.None {
		p.folded[r.Index] = !p.folded[r.Index]
	}
}

// shown are the requests in sight, at most so many; the selected one is among them.
func (p *Pane) shown(most int) []timeline.Request {
	p.height = most
	if p.cursor == timeline.None || most <= 0 {
		return nil
	}
	if p.top == timeline.None || p.before(p.cursor, p.top) {
		p.top = p.cursor
	}
	if first := p.walk(p.cursor, 1-most); p.before(p.top, first) {
		p.top = first
	}
	if _, last := p.ends(); last != timeline.None {
		if first := p.walk(last, 1-most); p.before(first, p.top) {
			p.top = first // no empty rows while there are more requests
		}
	}
	p.top = p.walk(p.top, 0)
	list := make([]timeline.Request, 0, most)
	for i := p.top; len(list) < most; {
		r, ok := p.tl.Request(i)
		if !ok {
			break
		}
		list = append(list, r)
		next := p.walk(i, 1)
		if next == i {
			break
		}
		i = next
	}
	return list
}

// before reports whether a request is displayed before another one.
func (p *Pane) before(i, other int) bool {
	if p.search.on() {
		return i < other
	}
	a, _ := p.tl.Request(i)
	b, _ := p.tl.Request(other)
	top := func(r timeline.Request) int {
		if r.Parent != timeline.None {
			return r.Parent
		}
		return r.Index
	}
	if top(a) != top(b) {
		return top(a) < top(b)
	}
	return i < other
}

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(n int) {
	if n < 0 {
		p.move(command.Up, n)
		return
	}
	p.move(command.Down, n)
}

// Press selects the request painted at a cell; on the selected one it shows the frame.
func (p *Pane) Press(x, y int) action.Action {
	if y == 0 {
		return frames.ShowView(paint.ChoiceAt(frames.ViewNames(), x, p.cols))
	}
	line := y - p.head
	if line < 0 || line >= p.height {
		return nil
	}
	if i := p.walk(p.top, line); i != p.cursor {
		p.cursor, p.follow, p.kept = i, false, timeline.None
		return nil
	}
	return p.Do(command.OpenFrame)
}

// Cursor is where the text cursor is while the filter is typed: in the border.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x, 0, ok
}

// id is the raw id of a request.
func (p *Pane) id(row int32) string {
	if id, ok := p.ids[row]; ok {
		return id
	}
	if len(p.ids) > 4096 {
		clear(p.ids)
	}
	info, _ := p.store.Row(row)
	head, err := p.store.Head(row, 2<<10)
	id := ""
	if err == nil {
		id = string(info.IDOf(head))
	}
	p.ids[row] = id
	return id
}

// Title is what is in the upper border: the filter, and the views of the traffic.
func (p *Pane) title(pal *paint.Palette) (title, note []paint.Span) {
	title = []paint.Span{{Style: pal.TextBold, Text: "Timeline"}}
	switch {
	case p.input.Typing() || p.wrong != nil:
		st := pal.OK
		if p.wrong != nil {
			st = pal.Error
		}
		title = append(title, paint.Span{Text: "  "})
		title = append(title, p.input.Spans(pal, st, borderWidth+len("Timeline  "), maxFilter)...)
		if p.wrong != nil {
			title = append(title, paint.Span{Style: pal.Error, Text: "  " + paint.Sanitize(p.wrong.Error())})
		}
	case p.applied != "":
		title = append(title, paint.Span{Style: pal.Accent, Text: "  / "}, paint.Span{Style: pal.Text, Text: paint.Sanitize(p.applied)})
	}
	note = pal.Choice(frames.ViewNames(), frames.ViewOf(command.ShowTimeline))
	if p.snap.ReadingFail != nil {
		note = append([]paint.Span{{Style: pal.Warn, Text: "not recorded from #" + paint.HumanCount(p.snap.Rows+1) + " on  "}}, note...)
	}
	return title, note
}

const (
	borderWidth = 3  // cells of a border before its title
	maxFilter   = 40 // cells of the filter in the title
)
