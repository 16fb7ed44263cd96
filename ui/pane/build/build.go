package build

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/session"
	"mcptea/session/store"
	"mcptea/session/watch"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// maxLines bounds the lines of an output that are shown.
const maxLines = 20_000

// Pane is the output of the newest build that failed. It belongs to the goroutine that
// draws.
type Pane struct {
	state   watch.State
	started bool         // the server was started once
	shown   *watch.Build // that lines are of
	lines   []string
	list    masterdetail.List[int]
	head    int // rows above the list at the last painting
}

// New returns the pane without a build.
func New() *Pane {
	p := &Pane{}
	p.list.Items = masterdetail.Items[int]{
		Len: func() int { return len(p.lines) },
		Key: func(i int) int { return i },
		Row: p.line,
	}
	return p
}

// SetState takes what the loop does.
func (p *Pane) SetState(st watch.State) {
	p.state = st
	if st.Build == nil || st.Build.Err == nil || st.Build == p.shown {
		return
	}
	p.shown, p.lines = st.Build, nil
	for line := range strings.Lines(string(st.Build.Output)) {
		if len(p.lines) == maxLines {
			break
		}
		p.lines = append(p.lines, ansi.Strip(strings.TrimRight(line, "\r\n")))
	}
	p.list.Refresh()
	p.list.SelectIndex(0)
	if len(st.Build.Places) > 0 {
		p.list.SelectIndex(st.Build.Places[0].Row)
	}
}

// Failed reports whether the newest build has failed.
func (p *Pane) Failed() bool { return p.state.Build != nil && p.state.Build.Err != nil }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Build }

// Typing implements the contract of panes: there is no text field.
func (p *Pane) Typing() bool { return false }

// Type implements the contract of panes.
func (p *Pane) Type(tea.KeyPressMsg) (action.Action, bool) { return nil, false }

// Paste implements the contract of panes.
func (p *Pane) Paste(string) {}

// Cursor implements the contract of panes.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Refresh implements the contract of panes; see SetState.
func (p *Pane) Refresh(st session.State, _ []store.Flow, _ time.Time, _ int) {
	p.started = st.Attempt > 0
}

// Busy implements the contract of panes.
func (p *Pane) Busy() bool { return false }

// Badge is the number of messages that name a place.
func (p *Pane) Badge() string {
	switch {
	case !p.Failed():
		return ""
	case len(p.state.Build.Places) == 0:
		return "!"
	}
	return paint.HumanCount(len(p.state.Build.Places))
}

// Click selects a line, and opens the place of the selected one.
func (p *Pane) Click(_, y int) action.Action {
	if _, again := p.list.Click(y - 1 - p.head); again {
		return p.open()
	}
	return nil
}

// Scroll implements the contract of panes.
func (p *Pane) Scroll(_, _, n int) { p.list.Scroll(n) }

// Works reports whether a command does something now.
func (p *Pane) Works(id command.ID) bool {
	switch id {
	case command.OpenPlace, command.NextPlace, command.LastPlace:
		return p.shown != nil && len(p.shown.Places) > 0
	}
	return true
}

// Do carries out a command.
func (p *Pane) Do(id command.ID) action.Action {
	switch id {
	case command.Back:
		return action.Leave{}
	case command.OpenPlace:
		return p.open()
	case command.NextPlace:
		p.next(1)
	case command.LastPlace:
		p.next(-1)
	case command.CopyBuild:
		if p.shown == nil {
			return action.Flash{Text: "no build has failed"}
		}
		return action.Copy{Text: string(p.shown.Output), What: "output of the build"}
	default:
		command.ApplyScroll(&p.list, id)
	}
	return nil
}

// next selects the next line that names a place, or the previous one.
func (p *Pane) next(step int) {
	if p.shown == nil {
		return
	}
	places := slices.Clone(p.shown.Places)
	if step < 0 {
		slices.Reverse(places)
	}
	for _, place := range places {
		if (place.Row-p.list.Index())*step > 0 {
			p.list.SelectIndex(place.Row)
			return
		}
	}
}

// open opens the place that the selected line names, or the nearest line above it.
func (p *Pane) open() action.Action {
	if p.shown == nil || len(p.shown.Places) == 0 {
		return action.Flash{Text: "the output names no source file"}
	}
	at := p.shown.Places[0]
	for _, place := range p.shown.Places {
		if place.Row <= p.list.Index() {
			at = place
		}
	}
	return action.OpenFile{Path: filepath.FromSlash(at.File), Line: at.Line}
}

// place is the one that a line names.
func (p *Pane) place(row int) (watch.Place, bool) {
	i, ok := slices.BinarySearchFunc(p.shown.Places, row, func(a watch.Place, row int) int { return a.Row - row })
	if !ok {
		return watch.Place{}, false
	}
	return p.shown.Places[i], true
}

// line writes a line of the output.
func (p *Pane) line(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	text := p.lines[i]
	at, ok := p.place(i)
	from := strings.Index(text, at.File)
	if !ok || from < 0 {
		r.Put(pal.Muted, text)
		return
	}
	rest := len(text)
	if at.Text != "" {
		if k := strings.LastIndex(text, at.Text); k > from {
			rest = k
		}
	}
	r.Put(pal.Value, text[:rest])
	r.Put(pal.Error, text[rest:])
}

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	s := paint.NewSheet(pal, w-2, h-2)
	if p.shown == nil {
		s.Text(pal.Muted, "No build has failed yet.", 1)
		return paint.Box(pal, w, h, focused, []paint.Span{{Style: pal.TextBold, Text: "Build"}}, nil, s.Rows)
	}
	b := p.shown
	title := []paint.Span{{Style: pal.ErrorBold, Text: "Build failed"}, {Style: pal.Muted, Text: "  " + pal.Label(b.Command, max(w/3, 10))}}
	if !p.Failed() {
		title = []paint.Span{{Style: pal.TextBold, Text: "Build"}, {Style: pal.Muted, Text: "  the newest has passed; this is the output of the one that failed"}}
	}
	note := []paint.Span{{Style: pal.Muted, Text: paint.HumanDuration(b.Took) + " " + pal.Separator + " " + b.At.Format("15:04:05")}}
	s.Line(func(r *paint.Row) {
		r.Put(pal.Error, pal.FailMark+" ")
		text := strconv.Itoa(len(b.Places)) + " messages name a place; " + b.Err.Error()
		switch len(b.Places) {
		case 0:
			text = "the command failed: " + b.Err.Error()
		case 1:
			text = "1 message names a place; " + b.Err.Error()
		}
		if p.state.Saved != "" {
			r.Put(pal.TextBold, p.state.Saved+"  ")
		}
		r.Put(pal.Text, text)
	})
	s.Line(func(r *paint.Row) {
		r.Put(pal.OK, pal.ArrowOut+" ")
		if p.started {
			r.Put(pal.Text, "Save a file to build again. The server from before runs until the build passes.")
		} else {
			r.Put(pal.Text, "Save a file to build again. The server starts when the build passes.")
		}
	})
	s.Blank()
	p.head = len(s.Rows)
	rows := append(s.Rows, p.list.Paint(pal, max(w-2, 0), max(h-2-len(s.Rows), 0), focused)...)
	return paint.Box(pal, w, h, focused, title, note, rows)
}
