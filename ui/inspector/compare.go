package inspector

import (
	"context"
	"slices"

	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/offer/invoke"
	"mcptea/record/filter"
	"mcptea/record/store"
	sessionexport "mcptea/session/export"
	"mcptea/ui/diff"
	"mcptea/ui/frames"
	"mcptea/ui/pane/actions"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/reduce"
)

// diff compares the two frames that were marked last, or a frame with the marked one.
func (m *model) diff(row int32) {
	st := m.session.Store()
	marks := frames.Marked(st)
	if of := toCompare(st, marks); len(of) > 1 || len(of) == 1 && st.Root(of[0]) != st.Root(row) {
		marks = of
	}
	switch {
	case len(marks) >= 2:
		marks = marks[len(marks)-2:]
	case len(marks) == 1 && row != store.None && row != marks[0]:
		marks = []int32{marks[0], row}
	default:
		m.Say(m.views.frames.MarkTwo())
		return
	}
	pair := alike(st, [2]int32(marks))
	m.diffRows(min(pair[0], pair[1]), max(pair[0], pair[1]))
}

// alike returns two rows of the same kind to compare: if one is a request and the other the response to another
// request, it returns both responses, or both requests if a response is missing.
func alike(st *store.Store, rows [2]int32) [2]int32 {
	var requests, responses [2]int32
	for i, row := range rows {
		requests[i], responses[i] = st.Related(row)
	}
	mixed := requests[0] != requests[1] && (rows[0] == requests[0] && rows[1] == responses[1] || rows[0] == responses[0] && rows[1] == requests[1])
	switch {
	case !mixed || slices.Contains(requests[:], store.None):
		return rows
	case slices.Contains(responses[:], store.None):
		return requests
	}
	return responses
}

// toCompare returns the marked rows, and only the response of an exchange with several marked frames.
func toCompare(st *store.Store, marks []int32) (rows []int32) {
	several := frames.PerExchange(st, marks)
	for _, row := range marks {
		root := st.Root(row)
		switch r, _ := st.Row(root); {
		case several[root] == 1:
			rows = append(rows, row)
		case several[root] > 1:
			rows = append(rows, max(root, r.Pair))
			several[root] = 0
		}
	}
	return rows
}

// diffRows compares two frames.
func (m *model) diffRows(old, now int32) {
	f := diff.Frames{
		Session: m.session, Pin: m.pins.Find, Export: m.export,
		Accept: func(pin string, row int32) { m.pinned.Accept(row, pin) },
	}
	diff.Open(m.app(), diff.Comparing, func(context.Context) (diff.Subject, error) { return f.Subject(old, now) })
}

// export opens the export window. It first selects the given frames, or else the marked ones, the filtered
// ones, or all. It never first selects only the frame under the cursor.
func (m *model) export(rows ...int32) {
	st := m.session.Store()
	o := m.exportOptions()
	if len(rows) > 0 {
		o.Scopes = append(o.Scopes, export.Rows("", rows...))
	}
	var annotated []int32 // the frames with a mark or a note
	for _, x := range st.Marks() {
		annotated = append(annotated, x.Row)
	}
	if len(annotated) > 0 {
		o.Scopes = append(o.Scopes, export.Rows("marked ", annotated...))
	}
	if text := m.views.frames.Filter.Words(); text != "" {
		o.Scopes = append(o.Scopes, export.Scope{Label: "filter " + text, Rows: func() (func(int32) bool, error) {
			f, err := filter.Frames.With(m.options.Filters).Parse(text)
			if err != nil {
				return nil, err
			}
			return sessionexport.Filtered(st, &f), nil
		}})
	}
	o.Scopes = append(o.Scopes, export.Scope{Label: "whole session", Rows: func() (func(int32) bool, error) { return nil, nil }})
	if m.inTraffic() {
		o.Scopes = append(o.Scopes, m.underCursor(st)...)
	}
	if len(rows) == 0 && m.shownView() == frames.Sequence {
		o.Format = "mermaid"
	}
	export.Open(m.app(), m.session, o)
}

// showActions opens the window with what was done in the session as commands.
func (m *model) showActions() {
	actions.Open(m.app(), actions.Options{
		Store: m.session.Store(), Secrets: m.session.Secrets(), Server: m.reached(), Frame: m.ShowFrame,
		Write: func(rows []int32) {
			o := m.exportOptions()
			o.Format = "command"
			o.Scopes = []export.Scope{export.Rows("", rows...)}
			export.Open(m.app(), m.session, o)
		},
	})
}

// reached returns the server of the session with the flags that a command needs to reach it, or nil for a recording.
func (m *model) reached() *sessionexport.Server {
	if !m.live() {
		return nil
	}
	target := m.session.Target()
	return &sessionexport.Server{Target: target, Words: invoke.TargetWords(m.options.Flags, target)}
}

// reduce opens the window that reduces the session to a finding, or to the worst one if f is nil.
func (m *model) reduce(f *lint.Finding) {
	reduce.Open(m.app(), reduce.Options{Store: m.session.Store(), Finding: f, Write: m.writeFile})
}

// exportOptions returns the options of the export window, without scopes.
func (m *model) exportOptions() export.Options {
	return export.Options{
		Formats: m.formats, Format: m.exportFormat, Dir: transport.In, Version: m.options.Version, Write: m.writeFile, Reduce: func() { m.reduce(nil) },
		Chosen: func(format string) { m.exportFormat = format }, Server: m.reached(),
	}
}

// underCursor returns the exchange and the frame at the cursor of Traffic.
func (m *model) underCursor(st *store.Store) (scopes []export.Scope) {
	if m.shownView() == frames.Sequence {
		scopes = append(scopes, export.Rows("exchange, ", m.views.sequence.Exchange()...))
	}
	if root := m.views.traffic.Closed(); root != store.None && m.shownView().IsList() {
		scopes = append(scopes, export.Exchange(st, root))
	}
	if row := m.selectedRow(); row != store.None {
		frame := export.Rows("", row)
		if r, _ := st.Row(row); r.IsFrame() {
			frame.Side = &r.Dir
		}
		scopes = append(scopes, frame)
	}
	return scopes
}
