package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// body is the place of the list.
func (m *recordingsModel) body() rect { return rect{0, 1, m.w, m.h - 2} }

// View implements tea.Model.
func (m *recordingsModel) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = "mcptea recordings"
	if !m.options.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.w == 0 || m.h == 0 {
		return v
	}
	rows := m.screen()
	m.cursor = nil
	small := m.tooSmallToUse()
	if x, y, ok := m.pane.Cursor(); ok && !small {
		m.cursor = tea.NewCursor(x, y+m.body().y)
		m.cursor.Shape = tea.CursorBar
	}
	if m.overlay != nil && !small {
		rows, m.cursor = layOver(m.pal, rows, m.overlay, placeOf(m.overlay, m.w, m.h))
	}
	v.SetContent(strings.Join(m.pal.Under(rows), "\n"))
	v.Cursor = m.cursor
	return v
}

func (m *recordingsModel) screen() []string {
	if m.tooSmallToUse() {
		return tooSmall(m.w, m.h, command.Quit)
	}
	body := m.body()
	rows := append([]string{m.header()}, m.pane.Paint(m.pal, m.js, body.w, body.h, m.overlay == nil)...)
	return append(rows, lastRow(m.pal, m.w, m.flash, &m.pane, func(c command.Context) []command.Command {
		var all []command.Command
		for _, cmd := range command.Footer(c) {
			if c != command.Recordings || worksOnList(cmd) {
				all = append(all, cmd)
			}
		}
		return all
	}))
}

// header is the first row: the directory and what is in it.
func (m *recordingsModel) header() string {
	p := m.pal
	files, live, size := m.list.Total()
	var r paint.Row
	r.Start(m.w, p.Header)
	if live > 0 {
		r.Right(paint.Span{Style: p.OK, Text: p.Dot + " " + paint.HumanCount(live) + " live "})
	}
	r.Gap(1)
	r.Put(p.AccentBold, "mcptea")
	r.Gap(2)
	r.Put(p.Strong, "recordings")
	r.Gap(2)
	r.Put(p.Text, paint.Plural(files, "file")+", "+paint.HumanSize(size))
	r.Gap(2)
	r.Put(p.Muted, m.catalog.Dir())
	return r.String()
}
