package logs

import (
	"slices"
	"sort"

	"mcptea/session/record/filter"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget/list"
)

// Log is what the pane reads.
type Log interface {
	LogAt(n int) (store.Log, bool)
	LogText(store.Log) (logger, text string)
}

// Session sets the level from which the server sends messages.
type Session interface {
	SetLevel(level string) *session.Call
}

// Pane is the list of entries.
type Pane struct {
	app.Place

	app     app.App
	log     Log
	session Session
	st      session.State
	spin    int
	level   level

	first   int // number of the oldest entry still in memory
	sel     int // number of the entry that was selected; the filter may hide it
	follow  bool
	list    list.List[int] // of the entries shown, by their numbers
	columns columns

	filter     page.Filter
	generation int       // of the filter that was looked with
	scan       page.Scan // the numbers that pass the filter

	known map[int]entry // painted lately
}

// New returns the pane over a session's log. It follows.
func New(a app.App, l Log, s Session) *Pane {
	p := &Pane{app: a, log: l, session: s, follow: true, known: make(map[int]entry)}
	p.filter.Language, p.filter.Values = filter.Messages, p.values
	p.list.Items = list.Items[int]{Len: p.Len, Key: p.number, Row: p.itemRow}
	p.Name, p.Own = "logs", []keys.Command{
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Stay at the newest entry", Words: "tail", Footer: 30, Run: p.toggleFollow},
		{ID: "frame", Keys: keys.On("enter f4"), Label: "frame", Help: "Show the frame of the message", Words: "wire", Footer: 10, Run: p.showFrame, Off: p.noFrame},
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter log messages and stderr by words, level, logger and time", Words: "search find", Footer: 15, Run: p.filter.Start},
		{ID: "filter.by", Verb: keys.FilterBy, Label: "severity", Help: "Filter by severity: info and more severe, warning, error, or all", Words: "level filter", Footer: 20, Run: func() { p.filter.Cycle("level", "info", "warning", "error") }, Off: p.noLogs},
		{ID: "setting", Keys: keys.On("="), Label: "server level", Help: "Set the level from which the server sends messages", Words: "logging severity", Footer: 25, Run: p.nextLevel, Off: p.noServer},
	}
	return p
}

// Badge is the number of entries, for the tab.
func (p *Pane) Badge() string {
	if p.st.Logs == 0 {
		return ""
	}
	return paint.HumanCount(p.st.Logs)
}

// Empty reports whether nothing was logged.
func (p *Pane) Empty() bool { return p.st.Logs == 0 }

// Refresh implements [app.Pane]. It reads the new entries of the session.
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.level.refresh(t.State.Attempt)
	p.st, p.spin = t.State, t.Spin
	p.forget()
	p.look()
	return p.filter.Count(p.st.Logs, p.tally) || p.level.running() || p.behind()
}

// forget drops the entries that are no longer in memory. The rows on the screen
// stay where they are.
func (p *Pane) forget() {
	was := p.first
	p.first += sort.Search(max(0, p.st.Logs-p.first), func(i int) bool {
		_, ok := p.log.LogAt(p.first + i)
		return ok
	})
	if p.first == was {
		return
	}
	at, _ := slices.BinarySearch(p.scan.Passed, int32(p.first))
	p.scan.Passed, p.scan.Next = p.scan.Passed[at:], max(p.scan.Next, p.first)
	p.list.Refresh()
}

func (p *Pane) filtering() bool {
	if p.generation != p.filter.Generation() {
		p.generation = p.filter.Generation()
		p.scan = page.Scan{Next: p.first}
		p.look()
	}
	return p.filter.On()
}

// behind reports whether the filter has further entries to look at.
func (p *Pane) behind() bool { return p.filtering() && p.scan.Next < p.st.Logs }

// slice is how many entries are looked at between two looks at the clock: their texts may
// be long.
const slice = 32

// look filters further entries, and selects the one that the user has chosen, or the next
// one that passes, as far as the filter has looked.
func (p *Pane) look() {
	if p.filtering() {
		p.scan.Advance(p.st.Logs, func(from, to int) int {
			to = min(to, from+slice)
			for i := from; i < to; i++ {
				if l, ok := p.log.LogAt(i); ok && p.passes(l) {
					p.scan.Passed = append(p.scan.Passed, int32(i))
				}
			}
			return to
		})
	}
	switch last := p.Len() - 1; {
	case last < 0:
	case p.follow:
		p.sel = p.number(last)
		p.list.SelectIndex(last)
	case p.filtering():
		p.list.SelectIndex(p.scan.Place(int32(p.sel)))
	default:
		p.list.SelectIndex(p.sel - p.first)
	}
}

// Len is the number of entries shown.
func (p *Pane) Len() int {
	if p.filtering() {
		return len(p.scan.Passed)
	}
	return max(0, p.st.Logs-p.first)
}

// number is the number of the entry at a place among those shown.
func (p *Pane) number(i int) int {
	if p.filtering() {
		return int(p.scan.Passed[i])
	}
	return p.first + i
}

// clearFilter shows all entries. The one that the filter has found stays selected.
func (p *Pane) clearFilter() {
	if i := p.list.Index(); i >= 0 {
		if n := p.number(i); n >= p.sel || !p.behind() {
			p.sel = n
			p.follow = p.follow && n == p.st.Logs-1
		}
	}
	p.filter.Drop()
	p.look()
}

func (p *Pane) toggleFollow() {
	p.follow = !p.follow
	p.look()
}

func (p *Pane) noLogs() string {
	if p.st.Logs == 0 {
		return "There is no log message."
	}
	return ""
}

func (p *Pane) noFrame() string {
	if p.Len() == 0 {
		return "There is no log message."
	}
	if l, ok := p.log.LogAt(p.number(p.list.Index())); ok && l.Row < 0 && !p.follow {
		return "This entry is not a frame."
	}
	return ""
}

func (p *Pane) showFrame() {
	l, ok := p.log.LogAt(p.number(p.list.Index()))
	switch {
	case !ok:
		p.app.Say("This entry is no longer in memory. The recording has it.")
	case l.Row < 0:
		p.follow = false // to show the line in full
		p.app.Say("This entry is not a frame.")
	default:
		p.app.ShowFrame(l.Row)
	}
}

// Motion implements [app.Pane]. Being at the newest entry is following it.
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back && p.filtering() {
		p.clearFilter()
		return true
	}
	if !keys.Scroll(&p.list, m) {
		return false
	}
	p.went()
	return true
}

// went takes note of where the user has gone.
func (p *Pane) went() {
	i := p.list.Index()
	if i >= 0 {
		p.sel = p.number(i)
	}
	p.follow = i == p.Len()-1
}

// turn moves as the wheel does.
func (p *Pane) turn(n int) {
	p.list.Move(n)
	p.went()
	p.follow = p.follow && n > 0
}

// press selects the entry in a row; on the selected one it shows the frame.
func (p *Pane) press(row int) {
	followed := p.follow
	hit, again := p.list.Click(row)
	if !hit {
		return
	}
	p.went()
	p.follow = false
	if l, ok := p.log.LogAt(p.sel); again && !followed && ok && l.Row >= 0 {
		p.app.ShowFrame(l.Row)
	}
}
