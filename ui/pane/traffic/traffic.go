package traffic

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/filter"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/widget/input"
)

// budget is how long the filter may work between two paintings; tests change it.
var budget = 4 * time.Millisecond

// Judge says what is wrong with the frame of a row.
type Judge interface {
	FindingsAt(row int32) []lint.Finding
}

// Pane is the list of frames. It belongs to the goroutine that draws.
type Pane struct {
	store *store.Store
	judge Judge
	snap  store.Snapshot
	now   time.Time
	spin  int

	limit   int // rows that exist for this pane: fewer than there are, while paused
	cursor  int // index among the shown rows
	top     int
	height  int // rows of the list at the last painting
	heading int // rows above them
	follow  bool
	resume  bool // going back follows again: a frame was selected from elsewhere
	paused  bool
	typing  bool
	cols    int // painted, border included

	input   input.Filter
	applied string
	wrong   error // why the text is not a filter
	filter  filter.Filter
	scanner *store.Scanner
	shown   []int32 // with a filter: the rows that pass
	scanned int32   // with a filter: rows looked at
	open    int32   // with a filter: the first of them that may change yet

	folds    []fold              // the beginnings of connections, by row
	restarts []session.Restarted // oldest first
	lastRun  int32               // the first row of the newest run of pins that was seen
	foldConn uint16              // the connection of the last of them
	ready    bool

	known map[int32]summary
	seek  seek
	// wanted is the row that was selected before the filter has changed, until the filter
	// has looked at it; store.None without one.
	wanted int32
	held   map[int32]time.Duration
	// highlighted rows are shown as if the user had marked them.
	highlighted map[int32]bool
	agent       map[int32]bool // rows of requests that agents have sent
}

// New returns the pane over a store and what judges its frames. It follows.
func New(s *store.Store, j Judge) *Pane {
	return &Pane{store: s, judge: j, follow: true, open: store.None, wanted: store.None, scanner: s.NewScanner(), known: make(map[int32]summary)}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Traffic }

// SetTyping says whether letters are text where the focus is: then the keys that the
// pane names are others.
func (p *Pane) SetTyping(on bool) { p.typing = on }

func (p *Pane) key(id command.ID) string { return command.KeyIn(command.Global, id, p.typing) }

// SetHeld sets the rows whose frames are held, and for how long. The pane keeps the map.
func (p *Pane) SetHeld(rows map[int32]time.Duration) { p.held = rows }

// SetAgent sets the rows of the requests that agents have sent in this session. The
// pane keeps the map.
func (p *Pane) SetAgent(rows map[int32]bool) { p.agent = rows }

// Refresh takes note of what is new. It is called before each painting that
// news have caused; now is the time for the running clocks. It reports whether
// the filter is behind, so that the pane has to be refreshed again.
func (p *Pane) Refresh(snap store.Snapshot, now time.Time) (behind bool) {
	if snap.Generation != p.snap.Generation {
		p.lookAgain()
	}
	p.snap, p.now = snap, now
	p.spin++
	if !p.paused {
		p.limit = snap.Rows
	}
	p.foldConnecting()
	behind = p.advance()
	p.findWanted()
	if p.seek.step != 0 {
		p.advanceSeek()
		behind = behind || p.seek.step != 0
	}
	if p.follow && !p.paused {
		p.cursor = p.Len() - 1
	}
	p.cursor = max(0, min(p.cursor, p.Len()-1))
	return behind
}

// lookAgain goes back to the first request that was waiting when the filter saw
// it, when the filter asks how requests stand.
func (p *Pane) lookAgain() {
	if p.open == store.None || !p.filter.Changes() {
		return
	}
	cut, _ := slices.BinarySearch(p.shown, p.open)
	p.shown, p.scanned, p.open = p.shown[:cut], p.open, store.None
}

// advance lets the filter look at further rows, for a few milliseconds. The
// clock that it reads bounds work and decides nothing that is shown.
func (p *Pane) advance() bool {
	if p.filter.Empty() {
		return false
	}
	start := time.Now()
	var f filter.Frame // one for all: the closures are made once
	f.OfRow(p.store, p.scanner)
	visit := func(i int32, r *store.Row) bool {
		f.Row, f.Method = r, p.store.Method(r.Method)
		if r.Flags&store.Pending != 0 && p.open == store.None {
			p.open = i
		}
		if p.filter.Match(f) {
			p.shown = append(p.shown, i)
		}
		return true
	}
	for int(p.scanned) < p.limit {
		most := min(512, p.limit-int(p.scanned))
		p.scanned = p.scanner.Rows(p.scanned, most, visit)
		if time.Since(start) > budget {
			break
		}
	}
	return int(p.scanned) < p.limit
}

// Len is how many rows are shown.
func (p *Pane) Len() int {
	if p.filter.Empty() {
		return p.limit - p.folded()
	}
	return len(p.shown)
}

// row gives the row at a place among those shown.
func (p *Pane) row(i int) int32 {
	if p.filter.Empty() {
		return p.rowAt(i)
	}
	return p.shown[i]
}

// Selected is the row under the cursor, store.None without one.
func (p *Pane) Selected() int32 {
	if p.cursor < 0 || p.cursor >= p.Len() {
		return store.None
	}
	return p.row(p.cursor)
}

// Select moves to a row. When the filter hides it, the filter goes.
func (p *Pane) Select(row int32) {
	if row < 0 {
		return
	}
	p.wanted = store.None
	p.follow, p.resume = false, p.follow || p.resume
	if int(row) >= p.limit {
		p.paused, p.limit = false, p.snap.Rows
	}
	if !p.filter.Empty() {
		if i := p.place(row); i >= 0 {
			p.cursor = i
			return
		}
		p.SetFilter("")
	}
	p.unfold(row)
	p.cursor = min(p.placeOf(row), p.Len()-1)
}

// Following reports whether the cursor stays at the newest frame.
func (p *Pane) Following() bool { return p.follow }

// SelectNear moves to a row, or to the next one that passes the filter.
func (p *Pane) SelectNear(row int32) {
	if row < 0 || int(row) >= p.limit {
		return
	}
	p.wanted = store.None
	p.follow, p.resume = false, p.follow || p.resume
	if p.filter.Empty() {
		p.unfold(row)
	}
	p.moveNear(row)
}

// place finds a row among those that pass the filter.
func (p *Pane) place(row int32) int {
	if i, ok := slices.BinarySearch(p.shown, row); ok {
		return i
	}
	return -1
}

// SetFilter replaces the filter.
func (p *Pane) SetFilter(text string) {
	if text != p.input.Value() {
		p.input.SetValue(text)
	}
	p.apply()
}

// Filter is the text of the filter in force.
func (p *Pane) Filter() string { return p.applied }

func (p *Pane) apply() {
	text := p.input.Value()
	if text == p.applied && p.wrong == nil {
		return
	}
	f, err := filter.Parse(text)
	if p.wrong = err; err != nil {
		return // the last filter that made sense stays in force
	}
	keep := p.wanted
	if keep == store.None && !p.follow {
		keep = p.Selected()
	}
	p.seek = seek{} // its place is one among the rows that were shown
	p.filter, p.applied = f, text
	p.shown, p.scanned, p.open = nil, 0, store.None
	p.advance()
	p.cursor = p.Len() - 1
	p.wanted = keep
	p.findWanted()
}

// findWanted keeps the cursor at the row that was selected before the filter, or at the
// next one that passes it, until the filter has looked at the row.
func (p *Pane) findWanted() {
	if p.wanted == store.None {
		return
	}
	if p.filter.Empty() {
		p.cursor, p.wanted = p.placeOf(p.wanted), store.None
		return
	}
	at, _ := slices.BinarySearch(p.shown, p.wanted)
	if p.cursor = min(at, len(p.shown)-1); at < len(p.shown) || int(p.scanned) >= p.limit {
		p.wanted = store.None
	}
}

// clearFilter shows all rows. The row that the filter has found stays selected.
func (p *Pane) clearFilter() {
	if found := p.Selected(); p.follow && found != store.None && int(found) < p.limit-1 {
		p.follow, p.resume = false, true
	}
	p.SetFilter("")
}

// moveNear puts the cursor on a row or on the next one that is shown.
func (p *Pane) moveNear(row int32) {
	if p.filter.Empty() {
		p.cursor = p.placeOf(row)
		return
	}
	if i, _ := slices.BinarySearch(p.shown, row); i < len(p.shown) {
		p.cursor = i
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
	p.seek = seek{}
	if name != command.FilterTraffic && name != command.Back {
		p.wanted = store.None // where the user goes now counts
	}
	switch name {
	case command.FilterTraffic:
		p.input.Open()
	case command.Follow:
		p.follow, p.paused = !p.follow, false
		p.Refresh(p.snap, p.now)
	case command.Pause:
		p.paused = !p.paused
		p.Refresh(p.snap, p.now)
	case command.ToggleFold:
		p.toggleFold()
	case command.OpenFrame:
		if p.foldAt(p.Selected()) != nil {
			p.toggleFold()
			return nil
		}
		return action.OpenDetail{}
	case command.ExplainFindings:
		return action.ExplainFindings{}
	case command.JumpToPair:
		return frames.OtherOfPair(p.store, p.Selected())
	case command.Resend, command.EditFrame, command.CopyFrame, command.CancelRequest:
		return action.OnFrame{Row: p.Selected(), Command: name}
	case command.PinCall:
		return action.Pin{Row: p.Selected()}
	case command.MarkFrame:
		return action.MarkFrame{Row: p.Selected()}
	case command.UnmarkAll:
		return action.MarkFrame{Row: store.None}
	case command.EditNote:
		return action.EditNote{Row: p.Selected()}
	case command.NextMark, command.PreviousMark:
		return p.nextMark(name == command.NextMark)
	case command.DiffFrames:
		return action.DiffFrames{Row: p.Selected()}
	case command.Explain:
		return action.ExplainRow{Row: p.Selected()}
	case command.NextError:
		return p.seekError(1)
	case command.PreviousError:
		return p.seekError(-1)
	case command.Back:
		if p.applied != "" || p.wrong != nil {
			p.clearFilter()
			return nil
		}
		p.follow, p.resume = p.follow || p.resume, false
		return action.Leave{}
	default:
		p.move(name)
	}
	return nil
}

func (p *Pane) move(name command.ID) {
	page, last := max(1, p.height-1), p.Len()-1
	by, ok := command.Steps(name, page, page/2, p.Len())
	if !ok {
		return
	}
	p.resume = false
	to := p.cursor + by
	p.cursor = max(0, min(to, last))
	// Being at the newest frame is following it; going back is not.
	p.follow = to >= last
}

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(n int) {
	p.wanted = store.None
	p.cursor = max(0, min(p.cursor+n, p.Len()-1))
	p.follow = n > 0 && p.cursor == p.Len()-1
}

// Click moves to the row painted at a line of the list.
func (p *Pane) Click(line int) {
	if i := p.top + line; line >= 0 && i < p.Len() {
		p.cursor, p.follow, p.resume, p.wanted = i, false, false, store.None
	}
}
