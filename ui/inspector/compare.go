package inspector

import (
	"context"

	"mcptea/client/transport"
	sessionexport "mcptea/session/export"
	"mcptea/session/record/filter"
	"mcptea/session/record/store"
	"mcptea/ui/diff"
	"mcptea/ui/frames"
	"mcptea/ui/pane/export"
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
		m.Say("Mark a frame with " + m.Key("mark") + ", then select another one to compare.")
		return
	}
	m.diffRows(min(marks[0], marks[1]), max(marks[0], marks[1]))
}

// toCompare are marked rows, with the response in place of an exchange of which several are.
func toCompare(st *store.Store, marks []int32) (rows []int32) {
	several := map[int32]int{}
	for _, row := range marks {
		several[st.Root(row)]++
	}
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
		o.Scopes = append(o.Scopes, export.Rows("exchange, ", m.views.sequence.Exchange()...))
	}
	var annotated []int32 // the frames with a mark or a note
	for _, x := range st.Marks() {
		annotated = append(annotated, x.Row)
	}
	if len(annotated) > 0 {
		o.Scopes = append(o.Scopes, export.Rows("marked ", annotated...))
	}
	if root := m.views.traffic.Closed(); root != store.None && m.inTraffic() && m.shownView().IsList() {
		o.Scopes = append(o.Scopes, export.Exchange(st, root))
	}
	if row := m.selectedRow(); row != store.None && m.inTraffic() {
		if r, _ := st.Row(row); len(o.Scopes) == 0 {
			o.Dir = r.Dir
		}
		o.Scopes = append(o.Scopes, export.Rows("", row))
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
	export.Open(m.app(), m.session, o)
}
