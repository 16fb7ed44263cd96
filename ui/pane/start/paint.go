package start

import (
	"fmt"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

const (
	fieldHeight = 3 // height of the line with its box
	// besideWidth is the width from which the selected entry is next to the list.
	besideWidth = 150
	// whereLeft is the width below which the list has no column for the application.
	whereLeft = 64
	// mostCells bounds the columns of the names and of the applications, which have a part of the width.
	mostCells = 64
	// examplesFrom is the width from which the empty line has examples.
	examplesFrom = 96
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	top, body := c.Over(fieldHeight)
	p.field(top)
	p.measure(body)
	e := p.selected()
	switch {
	case e == nil:
		p.paintList(body, focused)
	case p.whole:
		p.detail(body, e, focused)
	case c.W >= besideWidth:
		left, right := body.Neighbors(c.W * listShare / ofShares)
		p.paintList(left, focused)
		p.detail(right, e, focused)
	default:
		above, below := body.Over(body.H - p.below(body, e))
		p.paintList(above, focused)
		p.detail(below, e, focused)
	}
}

const (
	listShare, ofShares = 3, 5 // share of the list, next to the detail
	leastList           = 6    // rows of the list above the detail, in its box
	box                 = 2    // cells and rows of a box
	foot                = 1    // row with the keys of an entry
	aroundRow           = 2    // cells around a row of a question
)

// measure computes how much a detail can show.
func (p *Pane) measure(body *app.Canvas) {
	before := p.most
	p.most = extent{body.W - box - aroundRow, min(max(usualRows(body), body.H-leastList-box), body.H-box) - foot}
	if body.W >= besideWidth {
		p.most = extent{body.W - body.W*listShare/ofShares - box - aroundRow, body.H - box - foot}
	}
	if p.most != before {
		p.wanted = 0
	}
}

// below returns the height of the detail below the list. A question gets the rows that it needs if the list
// keeps leastList rows. While the size does not change, the height only grows.
func (p *Pane) below(body *app.Canvas, e *Entry) int {
	if p.shows(e); p.reading != nil {
		p.wanted = max(p.wanted, p.reading.Layout(p.most.columns)+foot)
	}
	return max(usualRows(body), min(p.wanted, p.most.rows+foot)) + box
}

// usualRows returns the minimum number of rows of a detail below the list.
func usualRows(body *app.Canvas) int { return min(max((body.H-1)/4, 4), 12) }

// shows makes the detail show the question about an entry, if it has one that needs few rows.
func (p *Pane) shows(e *Entry) {
	if e.Ask == p.question {
		return
	}
	p.question, p.reading = e.Ask, nil
	if e.Ask != nil && !e.Ask.Window {
		p.reading = dialog.ReadBrief(e.Ask.Text)
	}
}

// field paints the line.
func (p *Pane) field(c *app.Canvas) {
	in := c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Open"}}, nil, true)
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Put(c.Pal.Accent, c.Pal.Prompt+" ")
		text, x := p.input.Visible(r.Left() - 1)
		in.Field(field{textfield.Field{Input: &p.input, Changed: p.edited}, p}, r.Used()+x, 0)
		if text == "" && c.W >= examplesFrom {
			r.Right(paint.Span{Style: c.Pal.Faint, Text: "localhost:3000/mcp " + c.Pal.Separator + " npx -y some-server "})
		}
		if text == "" {
			r.Put(c.Pal.Muted, "type to filter, or paste a URL, a command line or JSON")
		}
		r.Put(c.Pal.Text, text)
	})
}

// examples lists what can be typed. It is shown if the list leaves room.
var examples = []string{
	"npx -y @modelcontextprotocol/server-everything", "node server.js --verbose", "localhost:3000/mcp", `{"command": "npx", "args": ["-y", "some-server"]}`, "claude mcp add notes -- npx -y notes", `https://example.com/mcp -H "Authorization: Bearer …"`,
}

func (p *Pane) paintList(c *app.Canvas, focused bool) {
	p.measureNames(c.W)
	var note []paint.Span
	if len(p.lines) > c.H-2 { // some rows are not visible
		at, all := 0, 0
		for i, l := range p.lines {
			if l.entry == nil {
				continue
			}
			if all++; i <= p.list.Index() {
				at = all
			}
		}
		note = []paint.Span{{Style: c.Pal.Muted, Text: fmt.Sprintf("%d of %d", at, all)}}
	}
	in := c.Box([]paint.Span{{Style: c.Pal.Text, Text: "Targets"}}, note, false)
	d := doc.On(in)
	switch {
	case len(p.lines) > 0:
		rows := p.list.Paint(in.Pal, in.W, in.H, focused)
		in.Rows(rows...)
		in.Click(0, 0, in.W, len(rows), func(_, y int) { p.click(y) })
		in.Wheel(p.wheel)
	case p.text() != "":
		d.Text(in.Pal.Muted, "No matches. "+p.app.Key("target.clear")+" clears the line.", 2)
	default:
		d.Text(in.Pal.Muted, "Reading the configuration of other applications"+in.Pal.Ellipsis, 2)
	}
	if p.text() == "" && d.Left() > len(examples)+2 {
		d.Gap()
		d.Text(in.Pal.Muted, "What can be typed or pasted above:", 1)
		for _, line := range examples {
			d.Row(paint.Span{Style: in.Pal.Faint, Text: "  " + line})
		}
	}
	d.Paint()
}

// click selects an entry, or opens the selected entry.
func (p *Pane) click(y int) {
	before := p.list.Index()
	switch hit, again := p.list.Click(y); {
	case !hit:
	case p.selected() == nil:
		p.list.SelectIndex(before)
	case again:
		p.open()
	}
}

// wheel moves the selection, or the entry that is shown whole.
func (p *Pane) wheel(n int) {
	m := keys.Down
	if n < 0 {
		m = keys.Up
	}
	for range max(n, -n) {
		p.Motion(m)
	}
}

// measureNames notes how wide the names and the applications of all lines are: no column moves while the list is read.
// They have a part of w cells at most.
func (p *Pane) measureNames(w int) {
	p.widest = [2]int{}
	most := [2]int{max(w/5, 12), max(w/4, 10)}
	for _, l := range p.lines {
		if l.entry != nil {
			for i, text := range []string{l.entry.Name, l.entry.Where} {
				p.widest[i] = max(p.widest[i], min(display.Width(display.Sanitize(text)), most[i]))
			}
		}
	}
}

// columns returns the columns: the name of an entry, its application, its command or URL, and its problem.
func (p *Pane) columns() []widget.Column[line] {
	return []widget.Column[line]{
		{Width: mostCells, Cells: func() int { return p.widest[0] }, Cell: func(l line, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: paint.If(l.entry.Mark == MarkOff, pal.Muted, pal.TextBold), Text: l.entry.Name}}
		}},
		{Width: mostCells, From: whereLeft, Cells: func() int { return p.widest[1] }, Cell: func(l line, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: l.entry.Where}}
		}},
		{Cell: func(l line, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: paint.If(l.entry.Mark == MarkOff, pal.Muted, pal.Text), Text: l.entry.Launch}}
		}},
		{Right: true, Cell: noteOf},
	}
}

// noteOf returns the note at the end of an entry's row: the id of a problem, and its text.
func noteOf(l line, pal *paint.Palette) []paint.Span {
	e := l.entry
	switch {
	case e.NoteID != "":
		return []paint.Span{{Style: e.Mark.bold(pal), Text: e.NoteID + " "}, {Style: pal.Muted, Text: e.Note}}
	case e.Mark == MarkError:
		return []paint.Span{{Style: pal.Error, Text: e.Note}}
	}
	return []paint.Span{{Style: pal.Muted, Text: e.Note}}
}

// title writes the row of a group.
func (g *Group) title(r *paint.Row, pal *paint.Palette, _ bool) {
	r.Right(paint.Span{Style: pal.Muted, Text: pal.Cut(display.Sanitize(g.Note), r.Left()/2) + " "})
	r.Put(pal.Muted, g.Title) // the names of the entries are bold
}

// detail paints an entry: its command or URL, its problems, and the possible actions.
func (p *Pane) detail(c *app.Canvas, e *Entry, focused bool) {
	pal := c.Pal
	const around = 14 // cells around the title and the place in the border
	place := pal.Label(e.Place, c.W/2)
	room := c.W - around - display.Width(place)
	title := []paint.Span{e.Mark.sign(pal), {Style: pal.TextBold, Text: pal.Label(e.Name, max(room, c.W/3))}, {Style: pal.Muted}}
	if room -= display.Width(title[1].Text); e.Where != "" {
		title[2].Text = "  " + pal.Label(e.Where, max(room, c.W/4))
	}
	if title[0].Text != "" {
		title[0].Text += " "
	}
	in := c.Box(title, []paint.Span{{Style: pal.Muted, Text: place}}, p.whole)
	text, foot := in.Over(max(in.H-1, 0))
	if !p.whole {
		p.window.Home()
	}
	if p.shows(e); p.reading != nil && !focused {
		p.reading.Again() // a window is above it
	}
	facts := doc.On(text)
	p.texts(facts, e, focused)
	p.window.Paint(facts)
	d := doc.On(foot)
	d.Keys(1, p.hints(e, facts.Wants() > text.H)...)
	d.Paint()
}

// texts adds the texts of an entry. If opening it asks a question, the rows of the question replace its facts. Rows that are
// painted while the pane has the focus count as read.
func (p *Pane) texts(d *doc.Doc, e *Entry, focused bool) {
	facts, what := e.Facts, min(len(e.Facts), 1)
	if p.reading != nil {
		rows := p.reading.Layout(d.W - aroundRow)
		d.Margin = dialog.ReadingMargin
		d.Lines(rows, func(r *paint.Row, i int) { p.reading.Put(d.Pal, r, i, focused) })
		facts, what = nil, 0
	}
	for _, f := range append(facts[:len(facts):len(facts)], e.Last...) {
		d.Margin = max(d.Margin, display.Width(f.Label)+2)
	}
	for _, f := range facts[:what] {
		d.FactText(f.Label, d.Pal.Strong, f.Text, doc.All)
	}
	for _, q := range e.Problems {
		d.Sign(paint.Span{Style: q.Mark.bold(d.Pal), Text: paint.Pad(q.ID, d.Margin)}, d.Pal.Text, q.Text, doc.All)
	}
	for _, f := range facts[what:] {
		d.FactText(f.Label, d.Pal.Text, f.Text, doc.All)
	}
	if len(e.Last) > 0 {
		d.Gap()
		d.Rule(paint.Span{Style: d.Pal.Muted, Text: "last session"})
	}
	for _, f := range e.Last {
		d.FactText(f.Label, d.Pal.Text, f.Text, doc.All)
	}
}

// hints returns the keys that help with an entry. more reports whether it has more rows than fit.
func (p *Pane) hints(e *Entry, more bool) []doc.Key {
	var all []doc.Key
	add := func(on bool, id, label string) {
		if on {
			all = append(all, doc.Key{ID: id, Label: label})
		}
	}
	add(e.Args != nil, "target.open", e.opens(p.mustRead(e)))
	add(p.whole, "target.whole", "show the list")
	add(!p.whole && more, "target.whole", "show all of it")
	edit := "edit the file"
	if e.Line > 0 {
		edit = fmt.Sprintf("edit line %d", e.Line)
	}
	add(e.File != "", "edit", edit)
	add(e.Tap != nil, "target.tap", e.taps())
	add(e.Command != "", "copy", "copy as command")
	return all
}
