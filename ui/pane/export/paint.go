package export

import (
	"cmp"
	"strings"

	"mcptea/client/transport"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Size implements [app.Dialog].
func (d *Dialog) Size(_ *app.Screen, w, h int) (int, int) { return min(w-2, 150), min(h-2, 50) }

// formatsWidth is the width of the list of formats without titles. The titles are shown if minPreview cells
// remain for the preview, and leastTitle is the minimum for a title.
const formatsWidth, minPreview, leastTitle = 15, 62, 14

// Paint implements [app.Pane].
func (d *Dialog) Paint(c *app.Canvas, focused bool) {
	pal := c.Pal
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: "Export"}}, nil, focused)
	scopes := doc.Flow(d.scopes(pal), in.W-2-doc.On(in).Margin)
	rows := 3 + len(scopes)
	if d.format().Directed {
		rows++
	}
	d.formats.Fit(pal, in.W, len(d.all))
	n := min(d.formats.Wanted(), in.W-minPreview)
	untitled := n < 2*formatsWidth
	if untitled {
		n = formatsWidth
		rows++
	}
	top, rest := in.Over(rows)
	d.facts(doc.On(top), scopes, untitled)
	body, foot := rest.Over(rest.H - 1)
	list, text := body.Beside(n)
	formats := doc.On(list)
	formats.List(&d.formats, nil)
	formats.Paint()
	d.text(text)
	c.Note(dialog.Note(pal, c.Names.Name("dialog.close"), &d.window))
	line := doc.On(foot)
	switch {
	case d.work.Busy():
		line.Text(pal.Warn, paint.Spinner(pal, d.spin)+" writing", 1)
	case d.file.Problem != "":
		line.Text(pal.Warn, d.file.Problem, 1)
	}
	line.Paint()
}

// scopes returns the scopes that can be written.
func (d *Dialog) scopes(pal *paint.Palette) (pieces [][]paint.Span) {
	for i, scope := range d.Scopes {
		st, sign := pal.Muted, ""
		if i == d.scope {
			st, sign = pal.AccentBold, pal.Dot+" "
		}
		pieces = append(pieces, []paint.Span{{Style: st, Text: sign + pal.Label(scope.Label, 50)}})
	}
	return pieces
}

// facts adds what is written, and where. untitled reports whether the list has no room for the
// titles of the formats.
func (d *Dialog) facts(s *doc.Doc, scopes [][]paint.Span, untitled bool) {
	pal := s.Pal
	s.Input(&d.file.Input, d.edited)
	if untitled {
		s.Fact("format", paint.Span{Style: pal.Text, Text: d.format().Title})
	}
	for i, row := range scopes {
		s.Fact(paint.If(i == 0, "frames", ""), row...)
	}
	change := func(r *paint.Row) {
		r.Right(paint.Span{Style: pal.AccentBold, Text: s.Names.Name("export.redact")}, paint.Span{Style: pal.Muted, Text: " change "})
	}
	if d.secrets {
		s.FactRow("secrets", change, paint.Span{Style: pal.WarnBold, Text: pal.WarnMark + " not redacted: written unchanged"})
	} else {
		s.FactRow("secrets", change, paint.Span{Style: pal.OK, Text: "redacted"}, paint.Span{Style: pal.Muted, Text: "  secret names and known forms of tokens"})
	}
	if d.format().Directed {
		text := paint.If(d.Dir == transport.Out, "what the client sent", "what the server sent")
		s.Fact("side", paint.Span{Style: pal.Text, Text: text})
	}
	s.Rule()
	s.Paint()
}

// maxLineRows is the maximum number of rows of a line in the preview.
const maxLineRows = 6

// text paints the preview.
func (d *Dialog) text(c *app.Canvas) {
	pal, s := c.Pal, doc.On(c)
	defer s.Paint()
	switch p := d.shown; {
	case p == nil:
		s.Text(pal.Muted, paint.Spinner(pal, d.spin)+" Reading the session.", 1)
		return
	case p.err != nil:
		s.Text(pal.Warn, "This cannot be written: "+p.err.Error()+".", 4)
		return
	case len(p.lines) == 1 && p.lines[0] == "" && d.format().Directed:
		s.Text(pal.Muted, "This side has sent no frame of the selection.", 2)
		s.Keys(1, doc.Key{ID: "view.shown", Label: "other side"})
		return
	case len(p.lines) == 1 && p.lines[0] == "":
		s.Text(pal.Muted, "Nothing: no frame of the selection has this format.", 2)
		return
	}
	for _, note := range d.shown.notes {
		s.Text(pal.Warn, note, 1)
	}
	s.Rest(1, func(c *app.Canvas) {
		lines := doc.On(c)
		for _, line := range d.shown.lines {
			lines.Text(pal.Text, cmp.Or(strings.ReplaceAll(line, "\t", "    "), " "), maxLineRows)
		}
		if d.shown.more {
			lines.Text(pal.Muted, pal.Ellipsis+" the preview ends here", 1)
		}
		d.window.Paint(lines)
	})
}
