package dialog

import (
	"mcptea/session/failure/card"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// cardWindow shows a whole card.
type cardWindow struct {
	none
	card     card.Card
	window   doc.Scroll
	commands []keys.Command
}

// Card opens the window of a card.
func Card(a app.Program, c card.Card) {
	o := &cardWindow{card: c}
	o.commands = []keys.Command{{ID: "card.close", Keys: keys.On("K q"), Label: "close", Help: "Close the card", Run: func() { a.Close(o) }}}
	a.Open(o)
}

func (o *cardWindow) Commands() []keys.Command  { return o.commands }
func (o *cardWindow) Motion(m keys.Motion) bool { return keys.Scroll(&o.window, m) }

func (o *cardWindow) Size(w, h int) (int, int) {
	w = min(w-4, 92)
	return w, min(h-2, len(o.layout(w-4))+2)
}

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

func (o *cardWindow) Paint(c *app.Canvas, focused bool) {
	var lines []string
	r := c.Pal.Row()
	for _, row := range o.layout(c.W - 4) {
		r.Start(c.W-2, paint.Style{})
		r.Gap(1)
		if row.heading {
			r.Put(c.Pal.TextBold, row.text)
		} else {
			r.Put(c.Pal.Muted, row.label)
			r.To(1 + row.indent)
			r.Put(c.Pal.Text, row.text)
		}
		lines = append(lines, r.String())
	}
	o.window.Rows(c.Box([]paint.Span{{Style: c.Pal.AccentBold, Text: o.card.Key + " "}, {Style: c.Pal.TextBold, Text: o.card.Title}}, nil, focused), lines)
	c.Note(Note(c.Pal, c.Names.Name("dialog.close"), &o.window))
}
