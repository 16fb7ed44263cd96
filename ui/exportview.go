package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/transport"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

func (o *exportWindow) size(w, h int) (int, int)    { return min(w-2, 150), min(h-2, 50) }
func (o *exportWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }

// formatsWidth is the width of the list of formats, and titlesWidth that with their
// titles.
const (
	formatsWidth = 14
	titlesWidth  = 46
)

func (o *exportWindow) paint(p *paint.Palette, w, h int) []string {
	inner := w - 2
	s := paint.NewSheet(p, inner, h-2)
	s.Margin = 8
	s.Fact("frames", func(r *paint.Row) {
		for i, scope := range o.scopes {
			st := p.Muted
			if i == o.scope {
				st = p.AccentBold
			}
			r.Put(st, paint.Cut(scope.label, 50))
			r.Gap(3)
		}
	})
	s.Fact("secrets", func(r *paint.Row) {
		if o.secrets {
			r.Put(p.WarnBold, p.WarnMark+" not redacted: written as they are in the session")
		} else {
			r.Put(p.OK, "redacted")
			r.Put(p.Muted, "  values of secret names, and known forms of tokens")
		}
	})
	if o.chosen().Directed {
		s.Fact("side", func(r *paint.Row) {
			text := "what the server sent"
			if o.dir == transport.Out {
				text = "what the client sent"
			}
			r.Put(p.Text, text)
		})
	}
	list := formatsWidth
	if w >= 110 {
		list = titlesWidth
	}
	rows := append(s.Rows, paint.Rule(p, inner))
	room := max(1, h-2-len(rows)-3)
	rows = append(rows, paint.JoinSide(o.list(p, list, room), o.text(p, inner-list, room))...)
	rows = append(rows, paint.Rule(p, inner))
	rows = append(rows, o.pathRow(p, inner, len(rows)), o.hints(p, inner))
	title := []paint.Span{{Style: p.TextBold, Text: "Export"}}
	return paint.Box(p, w, h, true, title, dialog.Note(p, command.KeyOf(command.Dismiss), &o.window), rows)
}

// list is the list of the formats.
func (o *exportWindow) list(p *paint.Palette, w, h int) []string {
	var rows []string
	r := p.Row()
	for i := range h {
		top := max(0, min(o.format-h/2, len(o.formats)-h))
		n := top + i
		if n >= len(o.formats) {
			rows = append(rows, paint.Pad("", w))
			continue
		}
		base, mark, name := paint.Style{}, " ", p.Text
		if n == o.format {
			base, mark, name = p.Selected, p.Bar, p.Strong
		}
		r.Start(w-1, base)
		r.Put(p.Accent, mark)
		r.Cell(name, o.formats[n].Name, 11)
		if w > formatsWidth {
			r.Put(p.Muted, " "+o.formats[n].Title)
		}
		rows = append(rows, paint.Pad(r.String(), w))
	}
	return rows
}

// maxLineRows is how many rows a line of the preview takes at the most.
const maxLineRows = 6

// text is the preview.
func (o *exportWindow) text(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w, h)
	switch {
	case o.shown == nil:
		s.Text(p.Muted, paint.Spinner(p, o.spin)+" Reading the session.", 1)
		return s.Rows
	case o.shown.err != nil:
		s.Text(p.Warn, "This cannot be written: "+o.shown.err.Error()+".", 4)
		return s.Rows
	}
	for _, note := range o.shown.notes {
		s.Text(p.Warn, note, 1)
	}
	if len(o.shown.lines) == 1 && o.shown.lines[0] == "" {
		s.Text(p.Muted, "Nothing: no frame of the selection has this format.", 2)
		return s.Rows
	}
	lines := make([]string, 0, len(o.shown.lines))
	r := p.Row()
	for _, line := range o.shown.lines {
		for i, part := range strings.Split(ansi.Hardwrap(paint.Sanitize(strings.ReplaceAll(line, "\t", "    ")), max(w-2, 1), true), "\n") {
			r.Start(w, paint.Style{})
			r.Gap(1)
			if i == maxLineRows {
				r.Put(p.Muted, p.Ellipsis)
				lines = append(lines, r.String())
				break
			}
			r.Put(p.Text, part)
			lines = append(lines, r.String())
		}
	}
	if o.shown.more {
		r.Start(w, paint.Style{})
		r.Put(p.Muted, " … the preview ends here")
		lines = append(lines, r.String())
	}
	return append(s.Rows, o.window.Rows(lines, w, max(0, h-len(s.Rows)))...)
}

func (o *exportWindow) pathRow(p *paint.Palette, w, y int) string {
	r := p.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	if o.writing {
		r.Put(p.Warn, paint.Spinner(p, o.spin)+" writing")
		return r.String()
	}
	r.Put(p.Muted, "file    ")
	text, x := o.path.Visible(max(r.Left()-2, 1))
	o.at = [2]int{1 + r.Used() + x, 1 + y}
	r.Put(p.Text.On(p.Field), text+" ")
	return r.String()
}

// hints are the keys, or what is wrong.
func (o *exportWindow) hints(p *paint.Palette, w int) string {
	r := p.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	if o.problem != "" {
		r.Put(p.Warn, o.problem)
		return r.String()
	}
	hint := func(label string, ids ...command.ID) {
		names := ""
		for _, id := range ids {
			names += command.KeyIn(command.Export, id, true) + " "
		}
		if r.Left() > paint.Width(names)+paint.Width(label) {
			r.Put(p.AccentBold, names)
			r.Put(p.Muted, label)
			r.Gap(min(3, r.Left()))
		}
	}
	hint("write", command.Accept)
	hint("format", command.Up, command.Down)
	if len(o.scopes) > 1 {
		hint("frames", command.CycleScope)
	}
	hint("copy", command.CopyExport)
	hint("secrets", command.ToggleRedaction)
	if o.chosen().Directed {
		hint("side", command.ToggleDirection)
	}
	return r.String()
}
