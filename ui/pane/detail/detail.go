package detail

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/record"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget/hexview"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/viewport"
)

// Source is where the pane reads from.
type Source interface {
	frames.Frames
	FindingsAt(row int32) []lint.Finding
}

// smallFrame is the size up to which a frame is read while drawing.
const smallFrame = 256 << 10

// Mode is one of the ways to look at a frame.
type Mode uint8

// The modes.
const (
	Tree Mode = iota
	Bytes
	Text
	Pair  // the frame and the one that it belongs with, one above the other
	Sides // what was received and what was sent on, of a frame that was changed
	HTTP
	modes
)

var modeNames = [modes]string{"tree", "bytes", "text", "pair", "sides", "http"}

// Pane shows the frame of one row. It belongs to the goroutine that draws.
type Pane struct {
	source Source

	row  int32
	info store.Row
	mode Mode
	then Mode // after an exchange, which is shown as such at first

	loading  bool
	err      error
	body     []byte
	view     *jsonview.View
	hex      *hexview.View
	pairRow  int32 // the frame that is shown with this one, store.None for none
	pairOf   *jsonview.View
	lower    bool // in the pair view the keys are about the frame below
	split    int  // the row where that one began at the last painting; 0 without it
	height   int
	exchange viewport.Viewport // the HTTP view
	sides    sides             // of the frame sides.row
	both     viewport.Viewport // the view of both sides
	wanted   *place
	why      bool // findings are explained, and not only named

	explained explained
	faultAt   int      // the byte at which the frame is broken
	marked    []string // the findings whose signs are in the view

	query      input.Filter
	rows, cols int // painted, border included
	missed     bool
	searches   int     // that were begun
	searching  tea.Cmd // to be run
}

// New returns a pane that shows nothing yet.
func New(source Source) *Pane { return &Pane{source: source, row: store.None, pairRow: store.None} }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	if p.mode == Tree || p.mode == Pair {
		return command.Detail
	}
	return command.RawView // nothing folds there and no value is selected
}

// Loaded is a frame that was read in the background.
type Loaded struct {
	pane *Pane
	row  int32
	body []byte
	view *jsonview.View
	scan jsonrpc.Envelope
	err  error
}

// Show turns to a row. The command that it returns, if any, reads the frame;
// its message is to be handed to [Pane.Take]. For the row that is shown already, the
// command is a search in a large frame; its message is for [Pane.Go].
func (p *Pane) Show(row int32) tea.Cmd {
	info, ok := p.source.Store().Row(row)
	if !ok {
		p.row, p.body, p.view, p.hex = store.None, nil, nil, nil
		return nil
	}
	if row == p.row {
		p.annotate(info)
		searching := p.searching
		p.searching = nil
		return searching
	}
	// What is no frame is seen in one mode; the next frame is again as before.
	was := p.row != store.None && !p.info.IsFrame()
	switch is := !info.IsFrame(); {
	case is && !was:
		p.then = p.mode
	case was && !is:
		p.mode = p.then
	}
	switch same := was && p.info.Kind == info.Kind; {
	case same:
	case info.Kind == store.KindExchange:
		p.mode = HTTP
	case info.Kind == store.KindProcess:
		p.mode = Text
	}
	p.row, p.info, p.err, p.searching = row, info, nil, nil
	p.searches++ // an outcome that is still to come is of the row before
	p.body, p.view, p.hex, p.exchange, p.both = nil, nil, nil, viewport.Viewport{}, viewport.Viewport{}
	p.sides = sides{row: store.None}
	p.pairRow, p.pairOf, p.lower, p.wanted = store.None, nil, false, nil
	if !p.has(p.mode) {
		p.mode = Tree
	}
	if info.Size <= smallFrame {
		p.Take(load(p.source.Store(), row))
		return nil
	}
	p.loading = true
	s := p.source.Store()
	return func() tea.Msg {
		l := load(s, row)
		l.pane = p
		return l
	}
}

// Deliver gives the frame to the pane that has asked for it.
func (l Loaded) Deliver() { l.pane.Take(l) }

// Deliver gives the match to the pane that has asked for it.
func (f Found) Deliver() { f.pane.Go(f) }

func load(s *store.Store, row int32) Loaded {
	body, err := s.Body(row)
	l := Loaded{row: row, body: body, err: err}
	if err == nil {
		// A document that breaks off is shown up to there.
		doc, _ := jsonview.Parse(body)
		l.view = jsonview.NewView(doc)
		if len(body) > 1<<20 {
			l.view.FoldDepth(3)
		}
		foldMeta(l.view)
		l.scan = jsonrpc.Scan(body)
	}
	return l
}

// foldMeta folds what every request and result says about itself, so that what
// this one says is in sight.
func foldMeta(v *jsonview.View) {
	for _, path := range []string{"/params/_meta", "/result/_meta"} {
		v.FoldPointer(path)
	}
}

// Take accepts a frame that was read.
func (p *Pane) Take(l Loaded) {
	if l.row != p.row {
		return // the selection has moved on
	}
	p.loading, p.err, p.body = false, l.err, l.body
	if l.err != nil {
		return
	}
	p.view, p.marked = l.view, nil
	p.hex = hexview.New(l.body)
	if p.mode == Text {
		p.hex.SetMode(hexview.Text)
	}
	p.faultAt = l.scan.At
	if p.info.IsFrame() && l.scan.Fault != jsonrpc.FaultNone {
		p.view.SelectOffset(l.scan.At)
		p.hex.Mark(l.scan.At, min(l.scan.At+1, len(l.body)))
	}
	p.note()
	p.point()
}

// annotate takes note of a pair that has come since.
func (p *Pane) annotate(info store.Row) {
	if info.Pair != p.info.Pair || info.Flags != p.info.Flags || info.Changed != p.info.Changed {
		p.info = info
		p.note()
	}
}

// note writes beside the id what it is the id of.
func (p *Pane) note() {
	if p.view == nil {
		return
	}
	text := ""
	switch pair, ok := p.source.Store().Row(p.info.Pair); {
	case ok && p.info.Kind == jsonrpc.Request:
		text = fmt.Sprintf("response #%d, %s", p.info.Pair+1, paint.HumanDuration(time.Duration(pair.Time-p.info.Time)))
	case ok && p.info.Kind != jsonrpc.Batch:
		text = fmt.Sprintf("response to #%d, %s", p.info.Pair+1, paint.HumanDuration(time.Duration(p.info.Time-pair.Time)))
	case p.info.Flags&store.Pending != 0:
		text = "no response yet"
	case p.info.Flags&store.UnknownID != 0:
		text = "no request has this id"
	}
	p.view.Note("$.id", text)
}

// Typing reports whether keys are text for the search.
func (p *Pane) Typing() bool { return p.query.Typing() }

// Type takes a key while the search is being typed.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	before := p.query.Version()
	taken := p.query.Type(k, command.FilterKeys())
	if p.query.Version() != before {
		p.find()
	}
	return nil, taken
}

// Paste takes pasted text while the search is being typed.
func (p *Pane) Paste(text string) {
	p.query.Insert(text)
	p.find()
}

// Found is the outcome of a search in a large frame.
type Found struct {
	pane   *Pane
	row    int32
	search int
	in     *jsonview.View
	match  jsonview.Match
}

// Go shows what was found, unless something else is searched by now.
func (p *Pane) Go(f Found) {
	if f.row == p.row && f.search == p.searches {
		p.missed = !f.in.Go(f.match)
	}
}

func (p *Pane) find() {
	if v := p.tree(); v != nil {
		p.search(v, v.Search(p.query.Value()))
	}
}

// tree is the frame that the keys are about.
func (p *Pane) tree() *jsonview.View {
	if p.mode == Pair && p.lower && p.pairOf != nil {
		return p.pairOf
	}
	return p.view
}

// search searches a small frame at once, a large one in the background.
func (p *Pane) search(in *jsonview.View, find func() jsonview.Match) {
	p.searches++
	p.searching = nil
	if find == nil {
		p.missed = false
		return
	}
	row, search := p.row, p.searches
	if p.info.Size <= smallFrame {
		p.Go(Found{p, row, search, in, find()})
		return
	}
	p.searching = func() tea.Msg { return Found{p, row, search, in, find()} }
}

// has reports whether there is something to see in a mode.
func (p *Pane) has(m Mode) bool {
	switch m {
	case Tree, Bytes:
		return p.info.Kind != store.KindProcess // a sentence of our own
	case Pair:
		return p.partner() != store.None
	case Sides:
		return p.info.Changed != record.NotChanged
	case HTTP:
		return p.info.Exchange != 0
	}
	return true
}

// partner is the request of an answer, or the answer of a request.
func (p *Pane) partner() int32 {
	request, answer := p.source.Store().Related(p.row)
	if p.row == request {
		return answer
	}
	return request
}

// loadPair reads the other frame when it is first wanted.
func (p *Pane) loadPair() {
	other := p.partner()
	if other == p.pairRow || other == store.None {
		return
	}
	head, err := p.source.Store().Head(other, smallFrame)
	if err != nil {
		return
	}
	doc, _ := jsonview.Parse(head) // of a large frame, what is in the head
	p.pairRow, p.pairOf = other, jsonview.NewView(doc)
}

func (p *Pane) nextMode() {
	m := (p.mode + 1) % modes
	for !p.has(m) {
		m = (m + 1) % modes
	}
	p.setMode(m)
}

func (p *Pane) setMode(m Mode) {
	p.mode = m
	if p.mode == Pair {
		p.loadPair()
	}
	if p.hex == nil || p.mode != Bytes && p.mode != Text {
		return
	}
	p.hex.SetMode(hexview.Hex)
	if p.mode == Text {
		p.hex.SetMode(hexview.Text)
	}
	// The bytes of what the tree has selected stand out.
	if from, to := p.view.Span(); to > from {
		p.hex.Mark(from, to)
	}
}
