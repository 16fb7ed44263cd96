package inspector

import (
	"cmp"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/traffic"
)

// probeFrames provides the frames of probes for the panes that show frames. They are not linted, because probes
// send wrong frames on purpose.
type probeFrames struct {
	store   *store.Store
	session *session.Session
}

func (f probeFrames) Store() *store.Store                   { return f.store }
func (f probeFrames) State() session.State                  { return f.session.State() }
func (f probeFrames) FindingsAt(int32) []lint.Finding       { return nil }
func (probeFrames) ErrorRows() []int32                      { return nil }
func (probeFrames) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// An evidenceWindow covers the screen except for the first row.
type evidenceWindow struct {
	app.App
	title    string
	store    *store.Store
	traffic  *traffic.Pane
	detail   *detail.Pane
	filter   *frames.Filter
	commands [2][]keys.Command // commands of the list and of the frame
	reading  bool              // the selected frame has the focus
}

// openEvidence opens the window with the frames of the probes of a session, at the first one of the rows, which
// are marked. names holds the named filters of the user.
func openEvidence(a app.App, st *store.Store, s *session.Session, title string, rows []int32, names filter.Names) {
	a.Open(newEvidence(a, probeFrames{st, s}, title, rows, names))
}

// newEvidence returns the window with frames, at the first one of the rows.
func newEvidence(a app.App, f probeFrames, title string, rows []int32, names filter.Names) *evidenceWindow {
	o := &evidenceWindow{App: a, title: title, store: f.store, filter: frames.NewFilter(f, names)}
	p := &frames.Program{App: o, Source: f, Filter: o.filter, Cancel: func(jsonrpc.ID) error { return nil }}
	p.Whole = func(int32) { o.reading = !o.reading }
	p.Show = func(frames.View) { o.reading = false }
	o.traffic, o.detail = traffic.New(p), detail.New(p)
	o.commands = [...][]keys.Command{o.allowed(o.traffic.Own), o.allowed(o.detail.Own)}
	o.traffic.ToggleFollow() // the selection stays at the frame
	if conn := connectionOf(f.store, rows); conn != 0 {
		o.filter.Set(fmt.Sprintf("conn:%d", conn))
	}
	o.Refresh(app.Tick{})
	o.traffic.Highlight(rows...)
	o.ShowFrame(rows[0])
	return o
}

// allowed returns the commands that apply to frames of a check, which are not part of the session, with the
// most important ones first.
func (o *evidenceWindow) allowed(list []keys.Command) []keys.Command {
	var out []keys.Command
	for _, c := range list {
		switch c.ID {
		case "again", "cancel.request", "mark", "mark.none", "note", "diff", "pin", "view":
			continue
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b keys.Command) int { return cmp.Compare(a.Footer, b.Footer) })
	return out
}

// connectionOf returns the connection of all rows, or 0 if they belong to several.
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

// ShowFrame implements [app.App] for the panes in the window.
func (o *evidenceWindow) ShowFrame(row int32) {
	o.traffic.Select(row)
	o.detail.Show(o.traffic.Selected())
}

// ComposeFrame implements [app.App] for the panes in the window, and closes it.
func (o *evidenceWindow) ComposeFrame(frame []byte) {
	o.Close(o)
	o.App.ComposeFrame(frame)
}

// Size implements [app.Dialog].
func (o *evidenceWindow) Size(_ *app.Screen, w, h int) (int, int) { return w, h - 1 }

func (o *evidenceWindow) focused() app.Pane {
	if o.reading {
		return o.detail
	}
	return o.traffic
}

// Commands implements [app.Pane].
func (o *evidenceWindow) Commands() []keys.Command {
	if o.reading {
		return o.commands[1]
	}
	return o.commands[0]
}

// Motion implements [app.Pane].
func (o *evidenceWindow) Motion(m keys.Motion) bool {
	switch {
	case m == keys.Next || m == keys.Previous:
		o.reading = !o.reading
	case o.focused().Motion(m):
	case m == keys.Back && o.reading:
		o.reading = false
	default:
		return false
	}
	return true
}

// Refresh implements [app.Pane].
func (o *evidenceWindow) Refresh(t app.Tick) (busy bool) {
	busy = o.traffic.Refresh(app.Tick{Now: t.Now, Spin: t.Spin}) || o.filter.Behind()
	o.detail.Show(o.traffic.Selected())
	return busy
}

// Paint implements [app.Pane].
func (o *evidenceWindow) Paint(c *app.Canvas, _ bool) {
	counts := o.store.Snapshot()
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Put(c.Pal.Muted, "Probes  ")
		r.Put(c.Pal.TextBold, o.title)
		r.Put(c.Pal.Muted, "   "+c.Pal.Mark+" evidence")
		r.Right(paint.Span{Style: c.Pal.Muted, Text: phrase.Count(counts.Frames(), "frame") + " of all probes "})
	})
	body := c.Below()
	var l layout // the layout of Traffic
	l.whole(rect{w: body.W, h: body.H}, arrangement{w: body.W, h: body.H, focus: paint.If(o.reading, slotDetail, slotTraffic)})
	var list, frame *app.Canvas
	switch {
	case l.traffic.empty() || l.detail.empty():
		o.focused().Paint(body, true)
		return
	case l.detail.x > 0:
		list, frame = body.Neighbors(l.detail.x)
	default:
		list, frame = body.Over(l.traffic.h)
	}
	list.Click(0, 0, list.W, list.H, func(int, int) { o.reading = false })
	frame.ClickText(0, 0, frame.W, frame.H, func(int, int) { o.reading = true })
	list.Lend(o.traffic, !o.reading)
	frame.Lend(o.detail, o.reading)
}
