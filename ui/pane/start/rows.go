package start

import (
	"fmt"

	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

const (
	fieldHeight = 3 // of the line with its box
	// besideWidth is the width from which the selected entry is beside the list.
	besideWidth = 150
	// whereLeft is the width below which the list has no column for the application.
	whereLeft    = 64
	lowDetail    = 14
	examplesFrom = 96
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, w, h int) []string {
	rows := p.field(pal, w)
	rest := h - len(rows)
	e := p.selected()
	switch {
	case e == nil:
		p.detailAt = masterdetail.Rect{}
		rows = append(rows, p.listBox(pal, 0, len(rows), w, rest)...)
	case p.whole:
		p.listAt = masterdetail.Rect{}
		rows = append(rows, p.detailBox(pal, len(rows), w, rest, e)...)
	case w >= besideWidth:
		left := w * 3 / 5
		list := p.listBox(pal, 0, len(rows), left, rest)
		rows = append(rows, paint.JoinSide(list, p.detailBox(pal, len(rows), w-left, rest, e))...)
	default:
		below := min(max((h-4)/4, 4), 12) + 2
		rows = append(rows, p.listBox(pal, 0, len(rows), w, rest-below)...)
		rows = append(rows, p.detailBox(pal, len(rows), w, below, e)...)
	}
	return rows
}

// field paints the line.
func (p *Pane) field(pal *paint.Palette, w int) []string {
	r := pal.Row()
	r.Start(w-2, paint.Style{})
	r.Gap(1)
	r.Put(pal.Accent, pal.Prompt+" ")
	text, x := p.input.Visible(r.Left() - 1)
	p.cursor = [2]int{1 + r.Used() + x, 1}
	if text == "" && w >= examplesFrom {
		r.Right(paint.Span{Style: pal.Faint, Text: "localhost:3000/mcp " + pal.Separator + " npx -y some-server "})
	}
	if text == "" {
		r.Put(pal.Muted, "type to filter, or paste a URL or a command line")
	}
	r.Put(pal.Text, text)
	return paint.Box(pal, w, fieldHeight, true, []paint.Span{{Style: pal.TextBold, Text: "Open"}}, nil, []string{r.String()})
}

func (p *Pane) listBox(pal *paint.Palette, x, y, w, h int) []string {
	p.listAt = masterdetail.Rect{X: x + 1, Y: y + 1, W: max(w-2, 0), H: max(h-2, 0)}
	p.columns(w - 2)
	rows := p.list.Paint(pal, w-2, h-2, true)
	if len(p.lines) == 0 {
		r := pal.Row()
		r.Start(w-2, paint.Style{})
		text := "Reading the configuration of other applications" + pal.Ellipsis
		if p.Text() != "" {
			text = "No matches. " + command.KeyIn(command.Start, command.ClearLine, true) + " clears the line."
		}
		r.Gap(2)
		r.Put(pal.Muted, text)
		rows = []string{r.String()}
	}
	var note []paint.Span
	if len(p.lines) > h-2 { // some are out of sight
		at, all := 0, 0
		for i, l := range p.lines {
			if l.entry == nil {
				continue
			}
			if all++; i <= p.list.Index() {
				at = all
			}
		}
		note = []paint.Span{{Style: pal.Muted, Text: fmt.Sprintf("%d of %d", at, all)}}
	}
	return paint.Box(pal, w, h, false, []paint.Span{{Style: pal.Text, Text: "Targets"}}, note, rows)
}

// columns computes the widths of the columns.
func (p *Pane) columns(w int) {
	p.nameWidth, p.whereWidth = 8, 8
	for _, l := range p.lines {
		if l.entry != nil {
			p.nameWidth = max(p.nameWidth, paint.Width(paint.Sanitize(l.entry.Name)))
			p.whereWidth = max(p.whereWidth, paint.Width(paint.Sanitize(l.entry.Where)))
		}
	}
	p.nameWidth = min(p.nameWidth, max(w/5, 12))
	p.whereWidth = min(p.whereWidth, max(w/6, 10))
	if w < whereLeft {
		p.whereWidth = 0
	}
}

// row writes a row of the list.
func (p *Pane) row(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	l := p.lines[i]
	if l.entry == nil {
		r.Right(paint.Span{Style: pal.Muted, Text: pal.Cut(paint.Sanitize(l.group.Note), r.Left()/2) + " "})
		r.Put(pal.TextBold, l.group.Title)
		return
	}
	e := l.entry
	name, where, launch := pal.TextBold, pal.Muted, pal.Text
	switch {
	case e.Mark == MarkOff:
		name, launch = pal.Muted, pal.Muted
	case selected:
		name = pal.Strong
	}
	p.note(r, pal, e)
	sign := e.Mark.sign(pal)
	r.Cell(sign.Style, sign.Text, 2)
	r.Cell(name, e.Name, p.nameWidth)
	r.Gap(2)
	if p.whereWidth > 0 {
		r.Cell(where, e.Where, p.whereWidth)
		r.Gap(2)
	}
	r.Put(launch, e.Launch)
}

// note writes what is flush right.
func (p *Pane) note(r *paint.Row, pal *paint.Palette, e *Entry) {
	room := r.Left() / 3
	var spans []paint.Span
	if e.NoteID != "" {
		spans = append(spans, paint.Span{Style: e.Mark.bold(pal), Text: e.NoteID + " "})
		room -= paint.Width(e.NoteID) + 1
	}
	style := pal.Muted
	if e.Mark == MarkError && e.NoteID == "" {
		style = pal.Error
	}
	spans = append(spans, paint.Span{Style: style, Text: pal.Cut(paint.Sanitize(e.Note), max(room, 0)) + " "})
	r.Right(spans...)
}

// detailBox paints the selected entry.
func (p *Pane) detailBox(pal *paint.Palette, y, w, h int, e *Entry) []string {
	p.detailAt = masterdetail.Rect{X: 1, Y: y + 1, W: max(w-2, 0), H: max(h-2, 0)}
	s := paint.NewSheet(pal, w-2, h-2)
	s.Margin = 9
	launch := p.fill(&s, e)
	room := s.H - 1 // the last row has the keys
	p.cut = launch > room
	rows := s.Rows
	more := len(rows) > room
	if p.whole {
		p.top = max(0, min(p.top, len(rows)-room))
		rows = rows[p.top:]
	}
	rows = rows[:min(len(rows), max(room, 0))]
	s.Rows = rows
	for s.Left() > 1 && (h <= lowDetail || len(s.Rows) <= len(rows)) {
		s.Blank() // the keys of a low box are always in its last row
	}
	s.Hints(1, p.hints(e, more)...)
	title := []paint.Span{}
	if sign := e.Mark.sign(pal); sign.Text != "" {
		title = append(title, sign, paint.Span{Text: " "})
	}
	title = append(title, paint.Span{Style: pal.TextBold, Text: pal.Label(e.Name, w/3)})
	if e.Where != "" {
		title = append(title, paint.Span{Style: pal.Muted, Text: "  " + pal.Label(e.Where, w/4)})
	}
	var note []paint.Span
	if e.Place != "" {
		note = []paint.Span{{Style: pal.Muted, Text: pal.Label(e.Place, w/2)}}
	}
	return paint.Box(pal, w, h, p.whole, title, note, s.Rows)
}

// maxText is the largest number of rows of one text.
const maxText = 1000

// fill writes an entry, and returns the number of rows of what it starts.
func (p *Pane) fill(s *paint.Sheet, e *Entry) (launch int) {
	for i, f := range e.Facts {
		style := s.Pal.Text
		if i == 0 {
			style = s.Pal.Strong
		}
		s.FactText(f.Label, style, f.Text, maxText)
		if i == 0 {
			launch = len(s.Rows)
			p.problems(s, e)
		}
	}
	if len(e.Facts) == 0 {
		p.problems(s, e)
	}
	return launch
}

func (p *Pane) problems(s *paint.Sheet, e *Entry) {
	for _, q := range e.Problems {
		label := q.ID
		for _, text := range paint.Wrap(q.Text, max(s.W-2-s.Margin, 1)) {
			s.Line(func(r *paint.Row) {
				r.Cell(q.Mark.bold(s.Pal), label, s.Margin)
				r.Put(s.Pal.Text, text)
			})
			label = ""
		}
	}
}

// hints are the keys that help with an entry, which may have more rows than fit.
func (p *Pane) hints(e *Entry, more bool) []paint.Hint {
	hint := func(id command.ID, label string) paint.Hint {
		return paint.Hint{Key: command.KeyIn(command.Start, id, true), Label: label}
	}
	var all []paint.Hint
	switch {
	case e.Args == nil:
	case p.cut && !p.whole:
		all = append(all, hint(command.OpenTarget, "show the whole command"))
	default:
		all = append(all, hint(command.OpenTarget, e.Verb))
	}
	switch {
	case p.whole:
		all = append(all, hint(command.ShowWhole, "show the list"))
	case more:
		all = append(all, hint(command.ShowWhole, "show all of it"))
	}
	if e.File != "" {
		all = append(all, hint(command.EditConfiguration, "edit the file"))
	}
	if e.Tap != nil {
		all = append(all, hint(command.RecordWithTap, e.TapVerb))
	}
	if e.Command != "" {
		all = append(all, hint(command.CopyCommand, "copy as command"))
	}
	return all
}
