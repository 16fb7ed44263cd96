package ui

import (
	"context"
	"time"

	"mcptea/client/transport"
	sessionexport "mcptea/session/export"
	"mcptea/session/record/filter"
	"mcptea/session/record/store"
	"mcptea/session/record/timeline"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/sequence"
	timelinepane "mcptea/ui/pane/timeline"
	"mcptea/ui/pane/traffic"
)

// wire is what shows the frames of the session.
type wire struct {
	frames   *frames.Program
	traffic  *traffic.Pane
	timeline *timelinepane.Pane
	sequence *sequence.Pane
	detail   *detail.Pane

	// The traffic is a list, or one of the views that take the whole window.
	view         frames.View
	views        [3]app.Part // the traffic in its views
	requests     *timeline.Timeline
	stopRequests func() // ends the reading of the events; nil while the list is shown
}

// newWire makes the panes of the frames.
func (m *model) newWire() {
	a := m.of(tabTraffic)
	f := &frames.Program{
		App: a, Source: m.session, Filter: frames.NewFilter(m.session), Cancel: m.session.Cancel, Send: m.sendAgain,
		Pin: func(row int32) { m.pinned.PinFrame(row) }, Diff: m.diff,
		Show: m.showView, Whole: m.showWhole, Findings: m.showFindings,
	}
	w := &m.wire
	w.frames, w.requests = f, timeline.New(m.session.Store())
	w.traffic, w.timeline, w.sequence, w.detail = traffic.New(f), timelinepane.New(f, w.requests), sequence.New(f, w.requests), detail.New(f)
	w.traffic.Pins = m.pins.Runs
	w.traffic.Held = func() map[int32]time.Duration { return m.intercept.HeldRows() }
	w.traffic.Again = func(pal *paint.Palette, row int32) []paint.Span { return m.branch.Remark(pal, row) }
	f.Agent = func() map[int32]bool {
		if m.options.Sharing == nil {
			return nil
		}
		return m.options.Sharing.Rows()
	}
	w.traffic.Key = m.Name
	w.sequence.Names = func() (server, over string) { return m.serverName(), m.session.Transport() }
	w.sequence.By = func() map[int32]string {
		by := map[int32]string{}
		for _, r := range m.session.Inbox().Requests() {
			by[r.Row] = r.By
		}
		return by
	}
	w.views = [...]app.Part{w.traffic, w.timeline, w.sequence}
}

// shownView is the view of the traffic that keys go to.
func (m *model) shownView() frames.View {
	if m.focus != partTraffic {
		return frames.List
	}
	return m.wire.view
}

// selectedRow is the row that is selected in the view that keys go to.
func (m *model) selectedRow() int32 {
	switch m.shownView() {
	case frames.Timeline:
		return m.wire.timeline.Selected()
	case frames.Sequence:
		return m.wire.sequence.Selected()
	}
	return m.wire.traffic.Selected()
}

// selectIn selects a row in another view than the list.
func (m *model) selectIn(view frames.View, row int32) {
	if view == frames.Sequence {
		m.wire.sequence.Select(row)
		return
	}
	m.wire.timeline.Select(row)
}

// showView shows the traffic in a view, at what is selected.
func (m *model) showView(view frames.View) {
	if view == frames.List {
		m.visit(func() {
			m.showList()
			m.setFocus(partTraffic)
		})
		return
	}
	if m.wire.stopRequests == nil {
		m.wire.stopRequests = m.background(m.wire.requests.Run)
	}
	row := m.selectedRow()
	if m.wire.view == frames.List && m.wire.traffic.Following() {
		row = store.None
	}
	m.selectIn(view, row)
	show := func() {
		m.zoom, m.wire.view = false, view
		m.setFocus(partTraffic)
	}
	if m.wire.view != frames.List { // back leads to the list from each view
		show()
	} else {
		m.visit(show)
	}
	m.refreshViews(m.tick)
}

// showList shows the list of frames, at the selected request.
func (m *model) showList() {
	if m.wire.view == frames.List {
		return
	}
	m.followView()
	m.wire.view = frames.List
	if m.wire.stopRequests != nil {
		m.wire.stopRequests()
		m.wire.stopRequests = nil
	}
	m.relayout()
}

// followView moves the list to what is selected in the other view.
func (m *model) followView() {
	if m.shownView() != frames.List {
		m.wire.traffic.SelectNear(m.selectedRow())
	}
}

// showWhole shows the selected frame in full; back leads to the view it was selected in.
func (m *model) showWhole(row int32) {
	if m.shownView() == frames.List {
		m.openDetail()
		return
	}
	m.followView()
	m.wire.traffic.SelectNear(row)
	m.visit(func() {
		m.frameOpen = true
		m.setFocus(partDetail)
	})
}

// showFindings explains the findings of the selected frame where that is shown.
func (m *model) showFindings(row int32) {
	if m.shownView() == frames.List && !m.layout.detail.empty() {
		m.wire.detail.Explain()
		return
	}
	m.showWhole(row)
	m.wire.detail.ExplainFindings()
}

// sendAgain sends a request or a frame. A large one is sent while the screen goes on.
func (m *model) sendAgain(method string, params, frame []byte) {
	send := func() *session.Call {
		if frame != nil {
			return m.session.StartFrame(frame)
		}
		return m.session.Start(method, params)
	}
	online := func(do func()) { m.OnlineRequest(method, params, do) }
	if frame != nil {
		online = func(do func()) { m.OnlineFrame(frame, do) }
	}
	online(func() {
		if len(params)+len(frame) <= largeFrame {
			m.noteCall(send())
			return
		}
		m.Go(func(context.Context) func() {
			call := send()
			return func() { m.noteCall(call) }
		})
	})
}

// refreshWire takes note of what is new in the traffic.
func (m *model) refreshWire(t app.Tick) (behind, busy bool) {
	behind = m.wire.traffic.Refresh(t)
	busy = m.refreshViews(t)
	return m.wire.frames.Filter.Behind() || behind, busy
}

// refreshViews takes note of what is new in another view than the list.
func (m *model) refreshViews(t app.Tick) (busy bool) {
	switch m.wire.view {
	case frames.Timeline:
		return m.wire.timeline.Refresh(t)
	case frames.Sequence:
		return m.wire.sequence.Refresh(t)
	}
	return false
}

// export opens the window that exports frames: at first those that are given.
func (m *model) export(rows ...int32) {
	st := m.session.Store()
	o := export.Options{
		Formats: m.formats, Format: m.exportFormat, Dir: transport.In, Version: m.options.Version, Write: m.writeFile,
		Chosen: func(format string) { m.exportFormat = format },
	}
	if len(rows) > 0 {
		o.Scopes = append(o.Scopes, export.Rows("", rows...))
	} else if m.shownView() == frames.Sequence {
		o.Format = "mermaid"
		o.Scopes = append(o.Scopes, export.Rows("exchange, ", m.wire.sequence.Exchange()...))
	}
	var annotated []int32 // the frames with a mark or a note
	for _, x := range st.Marks() {
		annotated = append(annotated, x.Row)
	}
	if len(annotated) > 0 {
		o.Scopes = append(o.Scopes, export.Rows("marked ", annotated...))
	}
	if row := m.selectedRow(); row != store.None && m.inTraffic() {
		if r, _ := st.Row(row); len(o.Scopes) == 0 {
			o.Dir = r.Dir
		}
		o.Scopes = append(o.Scopes, export.Rows("", row))
	}
	if text := m.wire.frames.Filter.Words(); text != "" {
		o.Scopes = append(o.Scopes, export.Scope{Label: "filter " + text, Rows: func() (func(int32) bool, error) {
			f, err := filter.Parse(text)
			if err != nil {
				return nil, err
			}
			return sessionexport.Filtered(st, &f), nil
		}})
	}
	o.Scopes = append(o.Scopes, export.Scope{Label: "whole session", Rows: func() (func(int32) bool, error) { return nil, nil }})
	export.Open(m.app(), m.session, o)
}

// diff compares the two frames that were marked last, or a frame with the marked one.
func (m *model) diff(row int32) {
	marks := frames.Marked(m.session.Store())
	switch {
	case len(marks) >= 2:
		marks = marks[len(marks)-2:]
	case len(marks) == 1 && row != store.None && row != marks[0]:
		marks = []int32{marks[0], row}
	default:
		m.Say("Mark a frame with " + m.Key("mark") + ", then select another one to compare.")
		return
	}
	m.diffRows(min(marks[0], marks[1]), max(marks[0], marks[1]))
}
