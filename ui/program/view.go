package program

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

// drawn writes the pictures on the screen to the terminal.
func (p *Program) drawn() {
	if p.Pictures == nil || !p.Pictures.Waiting() {
		return
	}
	sequence, changed := p.Pictures.Pending()
	if changed {
		p.Retheme() // they are painted again
	}
	if sequence != "" {
		p.Do(terminal.Write(sequence))
	}
}

// Rows returns the painted screen and its cursor. The screen is cached until something changes, because Bubble
// Tea asks after every message. changed reports whether it was painted now.
func (p *Program) Rows() (rows []string, cursor *tea.Cursor, changed bool) {
	if changed = p.dirty || p.painted == nil; changed {
		p.Painted.Pal, p.Painted.JS, p.Painted.Names = p.Pal, p.js, p
		if !p.selection.held {
			p.painted = p.rows()
		}
		p.shown, p.dirty = p.selection.over(p.painted), false
	}
	return p.shown, p.cursor, changed
}

// Repaint causes the program to be painted again.
func (p *Program) Repaint() { p.dirty = true }

// View implements tea.Model.
func (p *Program) View() tea.View {
	if rows, _, changed := p.Rows(); changed {
		p.view = p.Place(rows)
	}
	return p.Shown(p.view, p.cursor)
}

// Place returns the text of a whole screen and registers where the pictures are in its rows.
func (p *Program) Place(rows []string) string {
	if p.Pictures != nil {
		p.Pictures.Place(rows)
		if p.Pictures.Waiting() {
			p.Wake()
		}
	}
	return strings.Join(p.Pal.Under(rows), "\n")
}

// Status returns the screen's activity, for a terminal that shows it next to its window, or nil.
func (p *Program) Status() *tea.ProgramStatus {
	if s, ok := p.Screen.(reporting); ok {
		return s.ProgramStatus()
	}
	return nil
}

// Shown returns a screen with the terminal settings of the program.
func (p *Program) Shown(text string, cursor *tea.Cursor) tea.View {
	v := tea.NewView(text)
	v.AltScreen, v.WindowTitle, v.Cursor = true, p.Screen.Title(), cursor
	if s, ok := p.Screen.(progressing); ok {
		v.ProgressBar = s.TerminalProgress()
	}
	v.ProgramStatus = p.Status()
	v.ReportFocus = true
	if !p.noMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// rows paints the screen, the windows over it, and the last row; a message that needs more rows is over the
// screen.
func (p *Program) rows() []string {
	p.cursor = nil
	switch {
	case p.W == 0 || p.H == 0:
		return []string{""}
	case p.tooSmall():
		return tooSmall(p.W, p.H, p.Name("interrupt"))
	}
	c := p.Painted.Begin(p.W, p.H)
	rows := p.Screen.Paint(c)
	for len(rows) < p.H-1 {
		rows = append(rows, paint.Pad("", p.W))
	}
	rows, whole := rows[:p.H-1], false
	for i, d := range p.windows {
		p.Painted.Cover()
		w, h := d.Size(&p.Painted, p.W, p.H)
		w, h = min(w, p.W), min(h, p.H)
		w = app.WindowWidth(w, p.W)
		x, y := (p.W-w)/2, max(1, (p.H-h)/3)
		if at, ok := d.(app.Placed); ok {
			y = at.Top()
		}
		if whole = y+h == p.H; whole { // it has a last row of its own
			rows = append(rows, paint.Pad("", p.W))
		}
		for i := range rows {
			rows[i] = p.Pal.Dimmed(rows[i])
		}
		rows = paint.Overlay(rows, c.Show(d, x, y, w, h, i == len(p.windows)-1), x, y)
	}
	if x, y, ok := p.Painted.Cursor(); ok && x >= 0 {
		p.cursor = tea.NewCursor(x, y)
	}
	if whole {
		return rows
	}
	last := p.lastRow(c)
	return append(rows[:max(p.H-len(last), 0)], last...)
}

// tooSmall returns the screen for a terminal without enough room.
func tooSmall(w, h int, quit string) []string {
	text := fmt.Sprintf("This window is too small: mcptea needs %d columns and %d rows. %s quits.", MinWidth, MinHeight, quit)
	rows := slices.Concat(display.Wrap(text, max(1, w)), make([]string, h))[:h]
	for i := range rows {
		rows[i] = paint.Pad(rows[i], w)
	}
	return rows
}
