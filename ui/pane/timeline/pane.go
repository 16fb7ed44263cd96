package timeline

import (
	"errors"
	"slices"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/record/flow"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/record/timeline"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A Pane is the waterfall with its other parts.
type Pane struct {
	app.Place

	app   *frames.Program
	store *store.Store
	tl    *timeline.Timeline
	snap  timeline.Snapshot
	now   time.Time
	spin  int
	waits func(pal *paint.Palette) string // mark of pending requests

	sel    int // index of the request that was selected; the filter may hide it
	top    int // index of the first visible request
	follow bool
	height int // visible requests at the last painting
	wanted int32
	folded map[int]bool // requests whose nested requests are hidden
	open   map[int]bool // runs of equal requests, by the first one, that are not folded

	window    window
	sort      column
	latency   []timeline.Latency // sorted
	published int                // snapshot that they are of
	requests  frames.Requests

	reader *sequence.Reader
}

// New returns the pane over a timeline of the frames of a program.
func New(a *frames.Program, tl *timeline.Timeline) *Pane {
	p := &Pane{app: a, store: a.Store(), tl: tl, sel: timeline.None, top: timeline.None, follow: true, wanted: store.None, folded: map[int]bool{}, open: map[int]bool{}, sort: byP95, requests: a.NewRequests(tl), reader: sequence.NewReader(a.Store())}
	request := p.Selected
	p.Name, p.Own = "timeline", append([]keys.Command{
		a.On(request, keys.Command{ID: "frame.open", Keys: keys.On("enter"), Label: "frame", Help: "Show the frame of the request", Words: "detail wire", Footer: 10}, func(row int32) { a.Whole(row) }),
		a.Next(frames.Sequence),
		{ID: "timeline.zoom-in", Keys: keys.On("+"), Label: "zoom in", Help: "Show a shorter time, around the selected request", Words: "enlarge", Footer: 12, Run: func() { p.zoom(1, 2) }},
		{ID: "timeline.zoom-out", Keys: keys.On("-"), Label: "zoom out", Help: "Show a longer time", Footer: 13, Run: func() { p.zoom(2, 1) }},
		{ID: "timeline.left", Keys: keys.On("h left"), Label: "earlier", Help: "Move the axis to an earlier time", Words: "pan left", Footer: 14, Run: func() { p.pan(-1) }},
		{ID: "timeline.right", Keys: keys.On("l right"), Label: "later", Help: "Move the axis to a later time", Words: "pan right", Footer: 15, Run: func() { p.pan(1) }},
		{ID: "timeline.whole", Keys: keys.On("="), Label: "whole session", Help: "Show the whole session on the axis, or only the visible requests", Words: "all fit", Footer: 16, Run: func() { a.Say(p.window.toggleWhole()) }},
		{ID: "fold.toggle", Keys: keys.On("space"), Label: "fold", Now: p.folding, Help: "Fold or unfold equal requests after one another, or the server requests of a call", Words: "collapse expand nested run", Footer: 17, Run: p.toggleFold, Off: p.nothingFolds},
		{ID: "sort", Verb: keys.Sort, Label: "sort", Help: "Sort the latencies by p95, p50, max, count, errors or name", Words: "order percentile", Footer: 18, Run: p.sortNext},
		{ID: "match.next", Verb: keys.NextMatch, Label: "next error", Help: "Go to the next request that failed", Words: "problem", Run: func() { p.nextError(1) }},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous error", Help: "Go to the previous request that failed", Words: "problem", Run: func() { p.nextError(-1) }},
		a.Copies("the frame of the request", request),
		a.Explains(request),
	}, append(a.Filtering(p.dropFilter), a.Commands("the frame of the request", request)...)...)
	return p
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.snap, p.now, p.spin, p.waits = p.tl.Snapshot(), t.Now, t.Spin, t.Waits
	if p.snap.Published != p.published {
		p.published, p.latency = p.snap.Published, p.tl.Latencies()
		slices.SortStableFunc(p.latency, p.sort.compare)
	}
	if p.wanted != store.None && int(p.wanted) < p.snap.Rows {
		if i := p.tl.OfRow(p.wanted); i != timeline.None {
			p.unfold(i)
		}
		p.wanted = store.None
	}
	p.requests.Look(p.snap)
	if p.follow || p.sel == timeline.None {
		_, p.sel = p.ends()
	}
	return !p.snap.CaughtUp
}

// cursor returns the index of the selected request, or of the request that represents it, or
// timeline.None.
func (p *Pane) cursor() int {
	return p.walk(p.sel, 0)
}

// Select moves to the request that a row of the store belongs to, once it has been read.
func (p *Pane) Select(row int32) {
	p.wanted, p.follow = row, row == store.None
}

// unfold selects a request that may be in a folded run, or folded under its call: they are unfolded then.
func (p *Pane) unfold(i int) {
	if _, first := p.tl.RunOf(i); first != timeline.None && first != i {
		p.open[first] = true
	}
	if r, ok := p.tl.Request(i); ok && r.Parent != timeline.None {
		p.folded[r.Parent] = false
	}
	p.selectRequest(i)
}

// selectRequest selects a request by its index.
func (p *Pane) selectRequest(i int) {
	p.sel, p.follow = i, false
}

// Following reports whether the newest request is selected, even when new ones arrive.
func (p *Pane) Following() bool { return p.follow }

// Selected returns the row of the selected request, or store.None.
func (p *Pane) Selected() int32 {
	if r, ok := p.tl.Request(p.cursor()); ok {
		return r.Row
	}
	return store.None
}

func (p *Pane) sortNext() {
	p.sort = (p.sort + 1) % columnCount
	slices.SortStableFunc(p.latency, p.sort.compare)
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back {
		return p.dropFilter()
	}
	return keys.Scroll(p, m)
}

// dropFilter shows all requests. The selection made under the filter stays.
func (p *Pane) dropFilter() bool {
	p.sel = p.cursor()
	return p.app.Filter.Drop()
}

// Move moves through the requests. Being at the last one is following it.
func (p *Pane) Move(n int) { p.moveTo(p.walk(p.cursor(), n), n > 0) }

// Screen implements [keys.Scroller].
func (p *Pane) Screen() int { return p.height }

// Home moves to the first request.
func (p *Pane) Home() {
	first, _ := p.ends()
	p.moveTo(first, false)
}

// End moves to the last request.
func (p *Pane) End() {
	_, last := p.ends()
	p.moveTo(last, true)
}

func (p *Pane) moveTo(i int, forward bool) {
	_, last := p.ends()
	p.sel, p.follow = i, forward && i == last
	p.bringIntoWindow()
}

// maxSeek bounds the requests examined for the next error.
const maxSeek = 20_000

// nextError selects the next request that failed, in a direction.
func (p *Pane) nextError(step int) {
	i := p.cursor()
	for range maxSeek {
		next := p.walkOver(i, step, timeline.Folds{}) // the search for errors includes folded requests
		if next == i || next == timeline.None {
			p.app.Say("No more errors in this direction.")
			return
		}
		if q, _ := p.tl.Request(next); q.IsError {
			p.unfold(next)
			p.bringIntoWindow()
			return
		}
		i = next
	}
	p.unfold(i)
	p.bringIntoWindow()
	p.app.Say("No error in " + phrase.Digits(maxSeek) + " requests: " + p.app.Key(paint.If(step > 0, "match.next", "match.previous")) + " looks on from here.")
}

// walk moves through the requests that are shown, in the order of display.
func (p *Pane) walk(from, by int) int { return p.walkOver(from, by, p.folds()) }

func (p *Pane) walkOver(from, by int, folds timeline.Folds) int {
	if from == timeline.None {
		return timeline.None
	}
	if p.requests.On() {
		if len(p.requests.Passed) == 0 {
			return timeline.None
		}
		at := p.requests.Index(int32(from)) + by
		return int(p.requests.Passed[min(max(at, 0), len(p.requests.Passed)-1)])
	}
	return p.tl.Walk(from, by, folds)
}

func (p *Pane) ends() (first, last int) {
	if n := len(p.requests.Passed); p.requests.On() {
		if n == 0 {
			return timeline.None, timeline.None
		}
		return int(p.requests.Passed[0]), int(p.requests.Passed[n-1])
	}
	return p.tl.Ends(p.folds())
}

// folds returns the folds: runs of equal requests that the user has not unfolded, and nested requests that the
// user has folded.
func (p *Pane) folds() timeline.Folds {
	return timeline.Folds{Nested: func(i int) bool { return p.folded[i] }, Run: func(first int) bool { return !p.open[first] }}
}

// rowAt returns the request in a row, and the run that the row represents. The Count of the run is 0 if it
// represents none.
func (p *Pane) rowAt(i int) (r timeline.Request, run timeline.Run, ok bool) {
	if r, ok = p.tl.Request(i); p.requests.On() {
		return r, run, ok
	}
	found, first := p.tl.RunOf(i)
	if first == timeline.None || p.open[first] {
		return r, run, ok
	}
	r.Nested, r.Sent, r.FirstByte, r.Status = timeline.None, 0, 0, 0
	r.IsPending, r.IsError, r.State, r.End = found.Pending > 0, found.Failed == found.Count, flow.Answered, found.End
	return r, found, ok
}

// call returns the selected request, or the request that it is nested under.
func (p *Pane) call() timeline.Request {
	r, _ := p.tl.Request(p.cursor())
	if r.Parent != timeline.None {
		r, _ = p.tl.Request(r.Parent)
	}
	return r
}

func (p *Pane) nothingFolds() string {
	_, first := p.tl.RunOf(p.cursor())
	return keys.Reason(p.cursor() == timeline.None || first == timeline.None && p.call().Nested == timeline.None, "Nothing to fold: this request has no server requests, and no equal ones beside it.")
}

// folding returns the label of toggleFold.
func (p *Pane) folding() string {
	_, first := p.tl.RunOf(p.cursor())
	if c := p.call(); first != timeline.None && (!p.open[first] || c.Nested == timeline.None) {
		return paint.If(p.open[first], "fold", "unfold")
	}
	return paint.If(p.folded[p.call().Index], "unfold", "fold")
}

// toggleFold unfolds the run in the selected row. Otherwise it hides or shows the requests nested under the
// selected one, or under its parent. If there are none, it folds the run.
func (p *Pane) toggleFold() {
	p.sel = p.call().Index
	_, first := p.tl.RunOf(p.sel)
	if first != timeline.None && (!p.open[first] || p.call().Nested == timeline.None) {
		p.sel, p.open[first] = first, !p.open[first]
		return
	}
	p.folded[p.sel] = !p.folded[p.sel]
}

// shownRow is a request, or the run of equal requests that begins with it.
type shownRow struct {
	timeline.Request
	run timeline.Run
}

// shown returns up to most visible requests, including the selected one.
func (p *Pane) shown(most int) []shownRow {
	p.height = most
	cursor := p.cursor()
	if cursor == timeline.None || most <= 0 {
		return nil
	}
	if p.top == timeline.None || p.before(cursor, p.top) {
		p.top = cursor
	}
	if first := p.walk(cursor, 1-most); p.before(p.top, first) {
		p.top = first
	}
	if _, last := p.ends(); last != timeline.None {
		if first := p.walk(last, 1-most); p.before(first, p.top) {
			p.top = first // no empty rows while there are more requests
		}
	}
	p.top = p.walk(p.top, 0)
	list := make([]shownRow, 0, most)
	for i := p.top; len(list) < most; {
		r, run, ok := p.rowAt(i)
		if !ok {
			break
		}
		list = append(list, shownRow{r, run})
		next := p.walk(i, 1)
		if next == i {
			break
		}
		i = next
	}
	return list
}

// before reports whether a request is displayed before another request.
func (p *Pane) before(i, other int) bool {
	if p.requests.On() {
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

// press selects the request in a row; on the selected one it shows the frame.
func (p *Pane) press(row int) {
	if i := p.walk(p.top, row); i != p.cursor() {
		p.selectRequest(i)
		return
	}
	if row := p.Selected(); row != store.None {
		p.app.Whole(row)
	}
}

// id returns the raw id of a request.
func (p *Pane) id(row int32) string {
	m, _ := p.reader.Message(row)
	return m.ID
}

// border returns the content of the upper border: the filter, and the views of the traffic.
func (p *Pane) border(pal *paint.Palette) (title, note []paint.Span) {
	title = append([]paint.Span{{Style: pal.TextBold, Text: "Timeline"}}, p.app.Filter.Title(pal)...)
	if p.snap.ReadingFail != nil {
		why := paint.If(errors.Is(p.snap.ReadingFail, timeline.ErrFull), "not in the timeline", "not recorded")
		note = []paint.Span{{Style: pal.Warn, Text: why + " from #" + phrase.Digits(p.snap.Rows+1) + " on  "}}
	}
	return title, append(note, pal.Choice(frames.Views(), int(frames.Timeline))...)
}
