package ui

import (
	"strings"

	"mcptea/session/diff"
	"mcptea/ui/command"
	"mcptea/ui/difference"
	"mcptea/ui/paint"
)

func (o *diffWindow) paint(p *paint.Palette, w, h int) []string {
	split := w >= sidesWidth
	if o.chosen {
		split = o.sides
	}
	if split != o.split {
		o.split = split
		if o.shown != nil {
			o.arrange()
		}
	}
	o.width = w - 3 // without the border and the cursor
	title := []paint.Span{
		{Style: p.Error, Text: "- "},
		{Style: p.TextBold, Text: o.names[0]},
		{Style: p.OK, Text: "  + "},
		{Style: p.TextBold, Text: o.names[1]},
	}
	s := paint.NewSheet(p, w-2, h-2)
	o.summary(p, &s)
	rows := append(s.Rows, o.list.Paint(p, w-2, max(0, h-2-len(s.Rows)-1), true)...)
	for len(rows) < h-3 {
		rows = append(rows, "")
	}
	return paint.Box(p, w, h, true, title, nil, append(rows, o.hints(p, w-2)))
}

// summary says how many differences there are.
func (o *diffWindow) summary(p *paint.Palette, s *paint.Sheet) {
	switch r := o.shown; {
	case r == nil:
		s.Text(p.Muted, paint.Spinner(p, o.spin)+" Comparing.", 1)
	case r.err != nil:
		s.Text(p.Warn, "This cannot be compared: "+r.err.Error()+".", 3)
	case r.count == 0 && o.strict:
		s.Text(p.OK, "No differences.", 1)
	case r.count == 0:
		s.Text(p.OK, "No differences, apart from ids, times, cursors, tokens and UUIDs.", 1)
	default:
		text := paint.Plural(r.count, "difference")
		if r.more {
			text += " at least"
		}
		breaking := 0
		for _, c := range r.changes {
			if c.Breaking {
				breaking++
			}
		}
		s.Line(func(row *paint.Row) {
			row.Put(p.TextBold, text)
			if len(r.changes) > 0 {
				row.Put(p.Error, "   "+paint.HumanCount(breaking)+" breaking")
				row.Put(p.Text, "   "+paint.HumanCount(len(r.changes)-breaking)+" compatible")
			}
			if !o.strict {
				row.Put(p.Muted, "   ids, times, cursors, tokens and UUIDs are left out")
			}
		})
	}
	s.Blank()
}

func (o *diffWindow) hints(p *paint.Palette, w int) string {
	s := paint.NewSheet(p, w, 1)
	hint := func(id command.ID, label string) paint.Hint {
		return paint.Hint{Key: command.KeyIn(command.Difference, id, false), Label: label}
	}
	sides, ids := "side by side", "with ids and times"
	if o.split {
		sides = "unified"
	}
	if o.strict {
		ids = "without ids and times"
	}
	s.Hints(1, hint(command.NextDifference, "next"), hint(command.LastDifference, "previous"), hint(command.CopyDiff, "copy"),
		paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "close"}, hint(command.ToggleSides, sides), hint(command.ToggleStrict, ids))
	return s.Rows[0]
}

// line writes a line of the list.
func (o *diffWindow) line(r *paint.Row, p *paint.Palette, i, _ int, _ bool) {
	l := &o.lines[i]
	switch {
	case l.change != nil:
		word, st := "compatible  ", p.Muted
		if l.change.Breaking {
			word, st = "breaking    ", p.ErrorBold
		}
		r.Put(st, word)
		r.Put(p.Strong, strings.TrimSpace(l.change.Section+" "+l.change.Item))
		if l.change.Path != "" {
			r.Put(p.Muted, " "+l.change.Path)
		}
		r.Put(p.Text, "  "+l.change.Reason)
	case l.heading != "":
		switch l.only {
		case diff.Removed:
			r.Put(p.Error, "- ")
		case diff.Added:
			r.Put(p.OK, "+ ")
		}
		r.Put(p.Strong, l.heading)
	case l.row.Skipped > 0:
		r.Put(p.Muted, "  … "+difference.Skipped(l.row.Skipped))
	case o.split:
		o.both(r, p, &l.row)
	default:
		switch l.row.Kind {
		case diff.Removed:
			r.Put(p.Error, "- ")
			r.Put(p.Error, l.row.Old)
		case diff.Added:
			r.Put(p.OK, "+ ")
			r.Put(p.OK, l.row.New)
		default:
			r.Put(p.Text, "  ")
			r.Put(p.Muted, l.row.Old)
		}
	}
}

// both writes the two sides of a row beside each other.
func (o *diffWindow) both(r *paint.Row, p *paint.Palette, row *diff.Row) {
	half := max((o.width-3)/2, 1)
	start := r.Used()
	left := func(sign string, st paint.Style, text string, from, to int) {
		end := r.Used() + half
		r.Put(st, sign+" ")
		emphasized(r, p, st, text, from, to, max(0, end-r.Used()))
		r.To(end)
	}
	old, now := p.Muted, p.Muted
	minus, plus := " ", " "
	switch row.Kind {
	case diff.Removed:
		old, minus = p.Error, "-"
	case diff.Added:
		now, plus = p.OK, "+"
	case diff.Changed:
		old, now, minus, plus = p.Error, p.OK, "-", "+"
	}
	from, toOld, toNew := 0, 0, 0
	if row.Kind == diff.Changed {
		from, toOld, toNew = difference.Differing(row.Old, row.New)
	}
	left(minus, old, row.Old, from, toOld)
	r.To(start + half)
	r.Put(p.Faint, " "+p.Vertical+" ")
	left(plus, now, row.New, from, toNew)
}

// emphasized writes untrusted text into w cells, with a part on another ground. Where
// the part would not fit, the beginning is left out.
func emphasized(r *paint.Row, p *paint.Palette, st paint.Style, text string, from, to, w int) {
	if from >= to {
		r.Put(st, p.Label(text, w))
		return
	}
	before, part, after := paint.Sanitize(text[:from]), paint.Sanitize(text[from:to]), text[to:]
	if paint.Width(before) > w*2/3 {
		kept := []rune(before)
		before = p.Ellipsis + string(kept[max(0, len(kept)-w/3):])
	}
	end := r.Used() + w
	r.Put(st, p.Cut(before, w))
	r.Put(st.On(p.Match), p.Cut(part, max(0, end-r.Used())))
	r.Put(st, p.Label(after, max(0, end-r.Used())))
}
