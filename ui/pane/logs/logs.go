package logs

import (
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// budget is how long the filter may work in one Refresh; tests change it.
var budget = 4 * time.Millisecond

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

	first   int                    // number of the oldest entry still in memory
	list    masterdetail.List[int] // of the entries shown, by their numbers
	above   int                    // rows above the list in the box at the last painting
	columns columns
	follow  bool

	input   input.Filter
	words   input.Words
	minimum store.Level // severity of the entries shown
	shown   []int       // with a filter: the entries that pass
	scanned int         // with a filter: entries looked at
	// wanted is the entry that was selected before the filter has changed, until the
	// filter has looked at it; -1 without one.
	wanted int

	known map[int]entry // painted lately
}

// New returns the pane over a session's log. It follows.
func New(s Session) *Pane {
	p := &Pane{s: s, follow: true, wanted: -1, known: make(map[int]entry)}
	p.list.Items = masterdetail.Items[int]{Len: p.Len, Key: p.number, Row: p.itemRow}
	return p
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Logs }

// Busy reports whether a spinner is shown: the filter is behind, or
// logging/setLevel is pending.
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

// Refresh reads the new entries of the session.
func (p *Pane) Refresh(st session.State, _ []store.Flow, _ time.Time, spin int) {
	p.level.refresh(st.Attempt)
	p.st, p.spin = st, spin
	p.forget()
	p.advance()
	p.findWanted()
	if p.follow {
		p.list.SelectIndex(p.Len() - 1)
	} else if i := p.list.Index(); i < 0 {
		p.list.SelectIndex(0)
	}
}

// forget drops the entries that are no longer in memory. The rows on the screen
// stay where they are.
func (p *Pane) forget() {
	was := p.first
	p.first += sort.Search(max(0, p.st.Logs-p.first), func(i int) bool {
		_, ok := p.s.LogAt(p.first + i)
		return ok
	})
	p.scanned = max(p.scanned, p.first)
	if p.first == was {
		return
	}
	p.shown = p.shown[sort.SearchInts(p.shown, p.first):]
	if !p.follow && !p.list.Refresh() {
		p.list.SelectIndex(0) // the oldest one that is left
	}
}

func (p *Pane) filtering() bool { return len(p.words) > 0 || p.minimum > store.LevelNone }

// advance filters further entries for the length of the budget.
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

// Len is the number of entries shown.
func (p *Pane) Len() int {
	if p.filtering() {
		return len(p.shown)
	}
	return max(0, p.st.Logs-p.first)
}

// number is the number of the entry at a place among those shown.
func (p *Pane) number(i int) int {
	if p.filtering() {
		return p.shown[i]
	}
	return p.first + i
}

// refilter changes the filter and keeps the cursor at its entry, or at the next one that
// passes.
func (p *Pane) refilter(change func()) {
	keep := p.wanted
	if i := p.list.Index(); keep < 0 && i >= 0 && !p.follow {
		keep = p.number(i)
	}
	change()
	p.shown, p.scanned = nil, p.first
	p.advance()
	p.list.SelectIndex(p.Len() - 1)
	p.wanted = keep
	p.findWanted()
}

// findWanted keeps the cursor at the entry that was selected before the filter has
// changed, until the filter has looked at it.
func (p *Pane) findWanted() {
	if p.wanted < 0 {
		return
	}
	at := sort.Search(p.Len(), func(i int) bool { return p.number(i) >= p.wanted })
	p.list.SelectIndex(min(at, p.Len()-1))
	if at < p.Len() || !p.filtering() || p.scanned >= p.st.Logs {
		p.wanted = -1
	}
}

// clearFilter shows all entries. The one that the filter has found stays selected.
func (p *Pane) clearFilter() {
	if i := p.list.Index(); p.follow && i >= 0 && i < p.Len() && p.number(i) < p.st.Logs-1 {
		p.follow = false
	}
	p.refilter(func() { p.words, p.minimum = nil, store.LevelNone })
	p.input.SetValue("")
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

func (p *Pane) apply() {
	if w := input.ParseWords(p.input.Value()); !slices.Equal(w, p.words) {
		p.refilter(func() { p.words = w })
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.FilterLogs:
		p.input.Open()
	case command.CycleLogLevel:
		p.refilter(func() { p.minimum = nextMinimum(p.minimum) })
	case command.SetServerLevel:
		return p.level.next(p.st)
	case command.ShowLogFrame:
		return p.toFrame()
	case command.Follow:
		if p.follow = !p.follow; p.follow {
			p.list.SelectIndex(p.Len() - 1)
		}
	case command.Back:
		if p.filtering() {
			p.clearFilter()
			return nil
		}
		return action.Leave{}
	default:
		if command.ApplyScroll(&p.list, name) {
			p.wanted = -1 // where the user goes now counts
			p.follow = p.atEnd()
		}
	}
	return nil
}

func (p *Pane) toFrame() action.Action {
	if p.Len() == 0 {
		return nil
	}
	l, ok := p.s.LogAt(p.number(p.list.Index()))
	switch {
	case !ok:
		return action.Flash{Text: "This entry is no longer in memory. The recording has it."}
	case l.Row < 0:
		p.follow = false // to show the line in full
		return action.Flash{Text: "This entry is not a frame."}
	}
	return action.SelectFrame{Row: l.Row}
}

// atEnd reports whether the cursor is at the newest entry: moving there follows.
func (p *Pane) atEnd() bool { return p.list.Index() == p.Len()-1 }

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(_, _, n int) {
	p.list.Move(n)
	p.wanted = -1
	p.follow = n > 0 && p.atEnd()
}

// Click selects the entry at a cell; on the selected one it shows the frame.
func (p *Pane) Click(_, y int) action.Action {
	followed := p.follow
	hit, again := p.list.Click(y - 1 - p.above)
	if !hit {
		return nil
	}
	p.follow, p.wanted = false, -1
	if l, ok := p.s.LogAt(p.number(p.list.Index())); again && !followed && ok && l.Row >= 0 {
		return action.SelectFrame{Row: l.Row}
	}
	return nil
}

// Cursor is the cell of the text cursor while the filter is being typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x + 1, 1, ok
}
