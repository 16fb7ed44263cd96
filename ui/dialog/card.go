package dialog

import (
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Card opens a window that shows a card in full.
func Card(a app.Program, c card.Card) {
	o := &window{key: c.Key + " ", title: c.Title, width: 92, long: &doc.Scroll{}}
	o.list, o.compose = o.long, func(d *doc.Doc) { cardText(d, c) }
	o.commands = []keys.Command{{ID: "card.close", Keys: keys.On("K q"), Label: "close", Help: "Close the card", Run: func() { a.Close(o) }}}
	a.Open(o)
}

// cardText adds the lines of a card. It does not repeat equal labels.
func cardText(d *doc.Doc, c card.Card) {
	lines := c.Lines()
	column, last := card.Column(lines), ""
	d.Margin = column + 2
	for _, l := range lines {
		label := l.Label
		switch {
		case l.Heading:
			label = ""
			d.Blank()
			if l.Text != "" {
				d.Row(paint.Span{Style: d.Pal.TextBold, Text: l.Text})
			}
		case label == "":
			d.Text(d.Pal.Text, l.Text, doc.All)
		case label == last:
			d.FactText("", d.Pal.Text, l.Text, doc.All)
		case len(label) > column:
			d.Row(paint.Span{Style: d.Pal.Muted, Text: label})
			d.FactText("", d.Pal.Text, l.Text, doc.All)
		default:
			d.FactText(label, d.Pal.Text, l.Text, doc.All)
		}
		last = label
	}
}
