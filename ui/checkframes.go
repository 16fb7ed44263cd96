package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/traffic"
)

// checkedFrames are the frames of a check, for the panes that show frames. They are
// not linted: what the probes send may be wrong on purpose.
type checkedFrames struct {
	store   *store.Store
	session *session.Session
}

func (f checkedFrames) Store() *store.Store             { return f.store }
func (f checkedFrames) State() session.State            { return f.session.State() }
func (f checkedFrames) FindingsAt(int32) []lint.Finding { return nil }

// framesWindow shows the frames of a check: all of them as Traffic does, and the
// selected one in full. It takes the whole screen but the first row.
type framesWindow struct {
	title   string
	frames  checkedFrames
	traffic *traffic.Pane
	detail  *detail.Pane
	js      *paint.JSONStyles
	reading bool // the keys go to the selected frame
	w       int
	flash   action.Flash
}

var (
	_ worker  = (*framesWindow)(nil)
	_ clicker = (*framesWindow)(nil)
)

// showProbeFrames opens the window at a frame of the check.
func (m *model) showProbeFrames(title string, rows []int32) {
	st := m.checker.Store()
	if st == nil {
		return
	}
	f := checkedFrames{st, m.session}
	o := &framesWindow{title: title, frames: f, traffic: traffic.New(st, f), detail: detail.New(f), js: &m.js}
	o.traffic.Do(command.Follow) // it stays at the frame
	o.refresh(m.now, 0)
	o.traffic.Highlight(rows...)
	if conn := connectionOf(st, rows); conn != 0 {
		o.traffic.SetFilter(fmt.Sprintf("conn:%d", conn))
		o.refresh(m.now, 0)
	}
	o.traffic.Select(rows[0])
	m.overlay = o
	m.queue = append(m.queue, o.show())
}

// connectionOf is the connection of all the rows; 0 if they are of several.
func connectionOf(s *store.Store, rows []int32) uint16 {
	conn := uint16(0)
	for _, row := range rows {
		r, _ := s.Row(row)
		if conn != 0 && r.Conn != conn {
			return 0
		}
		conn = r.Conn
	}
	return conn
}

// show has the selected frame shown in full; the command reads a large one.
func (o *framesWindow) show() tea.Cmd { return o.detail.Show(o.traffic.Selected()) }

func (o *framesWindow) size(w, h int) (int, int) { return w, h - 1 }
func (o *framesWindow) close()                   {}

// refresh implements [worker].
func (o *framesWindow) refresh(now time.Time, _ int) bool {
	return o.traffic.Refresh(o.frames.store.Snapshot(), now)
}

func (o *framesWindow) cursor() (x, y int, ok bool) {
	if o.reading {
		x, y, ok = o.detail.Cursor()
		return x + o.listWidth(), y + 1, ok
	}
	x, y, ok = o.traffic.Cursor()
	return x, y + 1, ok
}

func (o *framesWindow) focused() region {
	if o.reading {
		return o.detail
	}
	return o.traffic
}

// listWidth is the width of the list; 0 where the frame has the window alone.
func (o *framesWindow) listWidth() int {
	switch {
	case o.w >= splitWidth:
		return o.w * 46 / 100
	case o.reading:
		return 0
	}
	return o.w
}

func (o *framesWindow) paint(p *paint.Palette, w, h int) []string {
	o.w = w
	list := o.listWidth()
	var body []string
	room := h - 2
	switch list {
	case w:
		body = o.traffic.Paint(p, *o.js, w, room, true)
	case 0:
		body = o.detail.Paint(p, *o.js, w, room, true)
	default:
		body = paint.JoinSide(o.traffic.Paint(p, *o.js, list, room, !o.reading), o.detail.Paint(p, *o.js, w-list, room, o.reading))
	}
	r := p.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	r.Put(p.Muted, "Probes  ")
	r.Put(p.TextBold, o.title)
	r.Put(p.Muted, "   "+p.Mark+" evidence")
	r.Right(paint.Span{Style: p.Muted, Text: paint.Plural(o.frames.store.Snapshot().Rows, "frame") + " of all probes "})
	rows := append([]string{r.String()}, body...)
	return append(rows, lastRow(p, w, o.flash, o.focused(), func(c command.Context) []command.Command {
		all := command.Footer(c)
		shown := all[:0:0]
		for _, cmd := range all {
			if o.works(cmd.ID) {
				shown = append(shown, cmd)
			}
		}
		back, _ := command.Named(command.Back)
		return append(shown, back)
	}))
}

// works reports whether a command does something with frames of a check: they are
// not part of the session.
func (o *framesWindow) works(id command.ID) bool {
	switch id {
	case command.Resend, command.MarkFrame, command.DiffFrames, command.Zoom, command.Compose, command.Restart, command.Palette, command.Quit, command.ExportFrames, command.AddBreakpoint, command.CancelRequest:
		return false
	}
	return true
}

func (o *framesWindow) scroll(n int) {
	if o.reading {
		o.detail.Scroll(0, n)
	} else {
		o.traffic.Scroll(n)
	}
}

func (o *framesWindow) key(tea.KeyPressMsg) (*command.Command, bool) { return nil, false }

func (o *framesWindow) paste(text string) { o.focused().Paste(text) }

// click implements [clicker].
func (o *framesWindow) click(x, y int) (*command.Command, bool) {
	if list := o.listWidth(); x < list {
		o.reading = false
		o.traffic.Press(x, y-1)
	} else {
		o.reading = true
		o.detail.Press(x-list, y-1)
	}
	return nil, false
}

// do implements [worker].
func (o *framesWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	o.flash = action.Flash{}
	f := o.focused()
	if f.Typing() {
		if a, taken := f.Type(k); taken || a != nil {
			return nil, true
		}
		if len(k.Text) > 0 {
			return nil, true
		}
	}
	c, ok := command.Lookup(f.Context(), k.String())
	if !ok || !o.works(c.ID) {
		return nil, true
	}
	switch c.ID {
	case command.Interrupt:
		return action.CloseWindow{}, true
	case command.OpenFrame, command.NextPane, command.PreviousPane:
		o.reading = !o.reading
		return nil, true
	}
	return o.carryOut(f.Do(c.ID)), true
}

// carryOut does what a pane asks for, as far as it is about frames of the check.
func (o *framesWindow) carryOut(a action.Action) action.Action {
	switch a := a.(type) {
	case action.Leave:
		if o.reading {
			o.reading = false
			return nil
		}
		return action.CloseWindow{}
	case action.SelectFrame:
		o.traffic.Select(a.Row)
	case action.Filter:
		o.traffic.SetFilter(a.Text)
		o.reading = false
	case action.Flash:
		o.flash = a
	case action.Copy, action.Explain:
		return a
	case action.OnFrame:
		switch made := frames.OnFrame(o.frames.store, a.Row, a.Command).(type) {
		case action.Copy:
			return made
		case action.ComposeFrame:
			return action.Accepted{Action: made}
		}
	}
	return nil
}
