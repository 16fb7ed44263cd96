package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/explain/card"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// cardWindow shows a whole card.
type cardWindow struct {
	scrolled
	card card.Card
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
	rows := o.layout(w - 4)
	o.height, o.lines = max(0, h-2), len(rows)
	o.clamp()
	body := make([]string, 0, o.height)
	var r paint.Row
	for _, row := range rows[o.top:min(o.lines, o.top+o.height)] {
		r.Start(w-2, paint.Style{})
		r.Gap(1)
		if row.heading {
			r.Put(p.TextBold, row.text)
		} else {
			r.Put(p.Muted, row.label)
			r.To(1 + row.indent)
			r.Put(p.Text, row.text)
		}
		body = append(body, r.String())
	}
	note := "esc closes"
	if o.lines > o.height {
		note = fmt.Sprintf("%d-%d of %d   %s", o.top+1, o.top+o.height, o.lines, note)
	}
	title := []paint.Span{{Style: p.AccentBold, Text: o.card.Key + " "}, {Style: p.TextBold, Text: o.card.Title}}
	return paint.Box(p, w, h, true, title, []paint.Span{{Style: p.Muted, Text: note}}, body)
}

func (o *cardWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Detail, k.String())
	switch c.ID {
	case command.Back, command.Interrupt, command.Quit, command.Explain:
		return nil, true
	}
	o.move(c.ID)
	return nil, false
}
