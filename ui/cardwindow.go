package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/failure/card"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
	"mcptea/ui/widget/viewport"
)

// cardWindow shows a whole card.
type cardWindow struct {
	card   card.Card
	window viewport.Viewport
}

// explainRow opens the card of what a frame is about.
func (m *model) explainRow(a action.ExplainRow) tea.Cmd {
	c, _, ok := frames.CardOfRow(m.session, a.Row, a.AsHTTP)
	if !ok {
		return m.act(action.Flash{Text: "there is nothing to explain about this"})
	}
	m.overlay = &cardWindow{card: c}
	return nil
}

func (o *cardWindow) size(w, h int) (int, int) {
	w = min(w-4, 92)
	return w, min(h-2, len(o.layout(w-4))+2)
}

func (o *cardWindow) cursor() (x, y int, ok bool) { return 0, 0, false }

// cardRow is a line of the card, laid out for a width.
type cardRow struct {
	heading     bool
	label, text string
	indent      int
}

// layout wraps the card for a width.
func (o *cardWindow) layout(w int) []cardRow {
	lines := o.card.Lines()
	column, last := card.Column(lines), ""
	var rows []cardRow
	for _, l := range lines {
		label, indent := l.Label, column+2
		switch {
		case l.Heading:
			rows = append(rows, cardRow{})
			if l.Text != "" {
				rows = append(rows, cardRow{heading: true, text: l.Text})
			}
			last = ""
			continue
		case label == "":
			indent = 0
		case label == last:
			label = ""
		case len(label) > column:
			rows = append(rows, cardRow{label: label})
			label = ""
		}
		last = l.Label
		for i, text := range paint.Wrap(l.Text, max(1, w-indent)) {
			if i > 0 {
				label = ""
			}
			rows = append(rows, cardRow{label: label, text: text, indent: indent})
		}
	}
	return rows
}

func (o *cardWindow) paint(p *paint.Palette, w, h int) []string {
	var lines []string
	var r paint.Row
	for _, row := range o.layout(w - 4) {
		r.Start(w-2, paint.Style{})
		r.Gap(1)
		if row.heading {
			r.Put(p.TextBold, row.text)
		} else {
			r.Put(p.Muted, row.label)
			r.To(1 + row.indent)
			r.Put(p.Text, row.text)
		}
		lines = append(lines, r.String())
	}
	body := o.window.Rows(lines, w-2, h-2)
	title := []paint.Span{{Style: p.AccentBold, Text: o.card.Key + " "}, {Style: p.TextBold, Text: o.card.Title}}
	return paint.Box(p, w, h, true, title, windowNote(p, &o.window), body)
}

// windowNote is what a window of lines says in its border: which of them are in
// sight, and how to close it.
func windowNote(p *paint.Palette, v *viewport.Viewport, hints ...paint.Span) []paint.Span {
	var note []paint.Span
	if at := v.Position(); at != "" {
		note = append(note, paint.Span{Style: p.Muted, Text: at + "   "})
	}
	note = append(note, hints...)
	return append(note, paint.Span{Style: p.AccentBold, Text: command.KeyOf(command.Dismiss)}, paint.Span{Style: p.Muted, Text: " close"})
}

func (o *cardWindow) scroll(n int) { o.window.Move(n) }

func (o *cardWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Detail, k.String())
	switch c.ID {
	case command.Back, command.Interrupt, command.Quit, command.Explain:
		return nil, true
	}
	command.ApplyScroll(&o.window, c.ID)
	return nil, false
}
