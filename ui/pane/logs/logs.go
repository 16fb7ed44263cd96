package logs

import (
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// budget is how long the filter may work between two paintings.
const budget = 4 * time.Millisecond

// Session is what the pane reads.
type Session interface {
	LogAt(n int) (store.Log, bool)
	LogText(store.Log) (logger, text string)
}

// Pane is the list of entries. It belongs to the goroutine that draws.
type Pane struct {
	s     Session
	st    session.State
	spin  int
	level level

	first  int // the oldest entry still in memory
	cursor int // place among the shown entries
	top    int
	height int // rows of the list at the last painting
	upper  int // rows above it in the box
	follow bool

	input   input.Filter
	words   words
	least   store.Level
	shown   []int // with a filter: the entries that pass
	scanned int   // with a filter: entries looked at

	known map[int]entry // what was painted lately
}

// New returns the pane over a session's log. It follows.
func New(s Session) *Pane {
	return &Pane{s: s, follow: true, known: make(map[int]entry)}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Logs }

// Busy reports whether a spinner turns: the filter is behind, or the server
// has not answered yet.
func (p *Pane) Busy() bool {
	return p.level.running() || p.filtering() && p.scanned < p.st.Logs
}

// Badge is the number of entries, for the tab.
func (p *Pane) Badge() string {
	if p.st.Logs == 0 {
		return ""
	}
	return paint.HumanCount(p.st.Logs)
}

// Refresh takes note of what is new.
func (p *Pane) Refresh(st session.State, _ []store.Flow, _ time.Time, spin int) {
	p.level.refresh(st.Attempt)
	p.st, p.spin = st, spin
	p.forget()
	p.advance()
	if p.follow {
		p.cursor = p.Len() - 1
	}
	p.cursor = max(0, min(p.cursor, p.Len()-1))
}

// forget drops the entries that are no longer in memory. What is on screen
// stays where it is.
func (p *Pane) forget() {
	was := p.first
	p.first += sort.Search(max(0, p.st.Logs-p.first), func(i int) bool {
		_, ok := p.s.LogAt(p.first + i)
		return ok
	})
	gone := p.first - was
	if p.filtering() {
		gone = sort.SearchInts(p.shown, p.first)
		p.shown = p.shown[gone:]
	}
	p.cursor, p.top = max(0, p.cursor-gone), max(0, p.top-gone)
	p.scanned = max(p.scanned, p.first)
}

func (p *Pane) filtering() bool { return len(p.words) > 0 || p.least > store.LevelNone }

// advance lets the filter look at further entries, for a few milliseconds. The
// clock that it reads bounds work and decides nothing that is shown.
func (p *Pane) advance() {
	if !p.filtering() {
		return
	}
	for start := time.Now(); p.scanned < p.st.Logs; p.scanned++ {
		if l, ok := p.s.LogAt(p.scanned); ok && p.passes(l) {
			p.shown = append(p.shown, p.scanned)
		}
		if p.scanned%32 == 31 && time.Since(start) > budget {
			p.scanned++
			return
		}
	}
}

// Len is how many entries are shown.
func (p *Pane) Len() int {
	if p.filtering() {
		return len(p.shown)
	}
	return max(0, p.st.Logs-p.first)
}

// number gives the entry at a place among those shown.
func (p *Pane) number(i int) int {
	if p.filtering() {
		return p.shown[i]
	}
	return p.first + i
}

// refilter starts the filter anew and keeps the cursor near its entry.
func (p *Pane) refilter(change func()) {
	keep := -1
	if p.cursor < p.Len() && !p.follow {
		keep = p.number(p.cursor)
	}
	change()
	p.shown, p.scanned = nil, p.first
	p.advance()
	p.cursor = p.Len() - 1
	if keep >= 0 {
		p.cursor = sort.Search(p.Len(), func(i int) bool { return p.number(i) >= keep })
	}
	p.cursor = max(0, min(p.cursor, p.Len()-1))
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
	if p.input.Paste(text) {
		p.apply()
	}
}

// SetFilter replaces the words of the filter.
func (p *Pane) SetFilter(text string) {
	p.input.SetValue(text)
	p.apply()
}

func (p *Pane) apply() {
	if w := parseWords(p.input.Value()); !w.same(p.words) {
		p.refilter(func() { p.words = w })
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.FilterLogs:
		p.input.Open()
	case command.CycleLogLevel:
		p.refilter(func() { p.least = nextLeast(p.least) })
	case command.SetServerLevel:
		return p.level.next(p.st)
	case command.ShowLogFrame:
		return p.toFrame()
	case command.Follow:
		if p.follow = !p.follow; p.follow {
			p.cursor = max(0, p.Len()-1)
		}
	case command.Back:
		if p.filtering() {
			p.refilter(func() { p.words, p.least = nil, store.LevelNone })
			p.input.SetValue("")
			return nil
		}
		return action.Leave{}
	default:
		p.move(name)
	}
	return nil
}

func (p *Pane) toFrame() action.Action {
	if p.Len() == 0 {
		return nil
	}
	l, ok := p.s.LogAt(p.number(p.cursor))
	switch {
	case !ok:
		return action.Flash{Text: "this entry is no longer in memory; the recording has it"}
	case l.Row < 0:
		p.follow = false // so that the line shows in full
		return action.Flash{Text: "a line on stderr is no frame"}
	}
	return action.SelectFrame{Row: l.Row}
}

func (p *Pane) move(name command.ID) {
	page, last := max(1, p.height-1), p.Len()-1
	by, ok := command.Steps(name, page, max(1, page/2), p.Len())
	if !ok {
		return
	}
	to := p.cursor + by
	p.cursor = max(0, min(to, last))
	// Being at the newest entry is following it; going back is not.
	p.follow = to >= last
}

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(_, _, n int) {
	p.cursor = max(0, min(p.cursor+n, p.Len()-1))
	p.follow = n > 0 && p.cursor == p.Len()-1
}

// Click moves to the entry at a cell; on the one that is selected, it shows
// the frame.
func (p *Pane) Click(_, y int) action.Action {
	line := y - 1 - p.upper
	i := p.top + line
	if line < 0 || line >= p.height || i >= p.Len() {
		return nil
	}
	again := i == p.cursor && !p.follow
	p.cursor, p.follow = i, false
	if l, ok := p.s.LogAt(p.number(i)); again && ok && l.Row >= 0 {
		return action.SelectFrame{Row: l.Row}
	}
	return nil
}

// Cursor is where the text cursor stands while the filter is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x + 1, 1, ok
}
