package logs

import (
	"fmt"
	"sort"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Log is the log that the pane reads.
type Log interface {
	LogAt(n int) (store.Log, bool)
	LogText(store.Log) (logger, text string, err error)
}

// Session sets the lowest level of messages that the server sends.
type Session interface {
	SetLevel(level string) *session.Call
}

// A Pane is the list of entries, which are identified by number.
type Pane struct {
	page.Page[int, int]

	app     app.App
	log     Log
	session Session
	st      session.State
	spin    int
	level   level
	first   int           // number of the oldest entry still in memory
	known   map[int]entry // painted lately
}

// New returns the pane over a session's log. It follows.
func New(a app.App, l Log, s Session) *Pane {
	p := &Pane{app: a, log: l, session: s, known: make(map[int]entry)}
	p.Init(page.Spec[int, int]{
		Noun:  "log message",
		Title: func() []paint.Span { return []paint.Span{{Text: "Logs"}} },
		Note:  p.note,
		Len:   func() int { return p.st.Logs - p.first },
		At:    func(i int) int { return p.first + i },
		Key:   func(n int) int { return n },
		Columns: []widget.Column[int]{
			{Name: "time", Width: 12, From: 58, Cell: p.cell(p.clock)},
			{Name: "from", Width: 6, Cell: p.cell(p.from)},
			{Name: "level", Width: 9, Cell: p.cell(p.levelOf)},
			{Name: "text", Cell: p.text},
		},
		Language: filter.Messages, Passes: p.passes, Values: p.values,
		Growing: true, Follow: true,
		Empty: p.empty, Older: p.older, Missed: "Entries without a level, such as stderr, count as info.", Open: p.showFrame, Foot: p.reader,
	})
	p.Name, p.Own = "logs", []keys.Command{
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Follow the newest entry", Words: "tail autoscroll scroll live bottom", Footer: 30, Run: p.ToggleFollow, Off: func() string { return keys.Reason(p.Count() == 0, "There are no entries to follow.") }},
		p.Do(keys.Command{ID: "frame", Keys: keys.On("enter f4"), Label: "frame", Now: p.opens, Help: "Show the frame of the message, or the whole text of a line without one", Words: "wire full text", Footer: 10}, p.showFrame, p.noFrame),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter log messages and stderr by words, level, logger and time", Words: "search find", Footer: 15, Run: p.StartFilter},
		{ID: "filter.by", Verb: keys.FilterBy, Label: "level", Help: "Filter by level: info and more severe, warning, error, or all", Words: "level filter", Footer: 20, Run: func() { p.CycleFilter("level", "info", "warning", "error") }, Off: p.noLogs},
		{ID: "setting", Keys: keys.On(","), Label: "server level", Help: "Set the level from which the server sends messages", Words: "logging severity settings preferences options configuration verbosity debug", Footer: 25, Run: p.chooseLevel, Off: p.noServer},
	}
	return p
}

// Badge returns the number of entries, for the tab.
func (p *Pane) Badge() string { return phrase.Badge(p.st.Logs) }

// Empty reports whether nothing was logged.
func (p *Pane) Empty() bool { return p.st.Logs == 0 }

// Refresh implements [app.Pane]. It reads the new entries of the session, and drops those that are no longer in
// memory.
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.level.refresh(t.State.Attempt)
	p.st, p.spin = t.State, t.Spin
	gone := sort.Search(max(0, p.st.Logs-p.first), func(i int) bool {
		_, ok := p.log.LogAt(p.first + i)
		return ok
	})
	p.first += gone
	p.Forget(gone)
	p.Changed()
	return p.Page.Refresh(t) || p.level.running()
}

func (p *Pane) noLogs() string { return keys.Reason(p.st.Logs == 0, "There are no log messages.") }

// older describes where to find entries that are no longer in memory.
func (p *Pane) older() string {
	return "Traffic has all messages of the server: " + p.app.Key("filter") + " in " + p.app.Key("tab.traffic") + " finds older ones. Older lines on stderr are not in memory."
}

const noFrame = "This entry is not a frame."

func (p *Pane) noFrame(n int) string {
	if l, ok := p.log.LogAt(n); ok && l.Row < 0 && !p.Following() {
		return noFrame
	}
	return ""
}

// opens returns the label for opening the selected entry.
func (p *Pane) opens() string {
	if n, ok := p.Selected(); ok {
		if l, ok := p.log.LogAt(n); ok && l.Row < 0 {
			return "full text"
		}
	}
	return "frame"
}

func (p *Pane) showFrame(n int) {
	l, ok := p.log.LogAt(n)
	switch {
	case !ok:
		p.app.Say("This entry is no longer in memory. The recording has it.")
	case l.Row < 0:
		p.Keep() // to show the line in full
	default:
		p.app.ShowFrame(l.Row)
	}
}

// reader shows the selected entry in full under the list while the list does not follow: lines
// on stderr have no frame to open. Its height does not depend on the text, so that the list does
// not jump.
func (p *Pane) reader(d *doc.Doc) {
	n, ok := p.Selected()
	if p.Following() || d.H < 12 || !ok {
		return
	}
	e, _ := p.entry(n)
	rows, text := min(6, d.H/4), strings.TrimRight(e.text, "\r\n")
	title := []paint.Span{{Style: d.Pal.Muted, Text: "full text"}}
	if len(display.WrapFirst(text, d.W-2, rows+1)) > rows {
		title[0].Text = "beginning of the text"
	}
	if e.log.Row >= 0 {
		title = append(title, paint.Span{Text: "   "}, paint.Span{Style: d.Pal.AccentBold, Text: p.app.Key("frame")}, paint.Span{Style: d.Pal.Muted, Text: " frame"})
	}
	d.Rule(title...)
	d.TextOf(rows, d.Pal.Text, text)
}

// empty explains what is shown here, and how to get it.
func (p *Pane) empty(d *doc.Doc) {
	d.Text(d.Pal.Strong, "No log messages yet.", 2)
	d.Gap()
	d.Text(d.Pal.Text, "Log messages of the server (notifications/message), its stderr, and text on stdout that is not a message are shown here.", 4)
	level := p.app.Key("setting")
	switch {
	case p.st.Phase != session.Ready:
		return
	case p.st.Handshake.Revision.IsStateless():
		level += " chooses the level of the log messages. It applies to requests from now on (logLevel in their _meta)."
	case p.level.inForce != "":
		level = fmt.Sprintf("The server sends messages of level %s and more severe ones: %s changes the level.", p.level.inForce, level)
	case p.st.Handshake.HasCapability("logging"):
		level = "The server supports logging: " + level + " sets the level (logging/setLevel)."
	default:
		level = "The server does not declare logging; " + level + " sends logging/setLevel anyway."
	}
	d.Gap()
	d.Text(d.Pal.Muted, level, 4)
}
