package diff

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// header paints the two sides and the counts.
func (d *Dialog) header(c *app.Canvas) {
	pal, w := c.Pal, c.W
	if c.H < 3 {
		c.Line(func(r *paint.Row) {
			r.Gap(1)
			d.summary(pal, r)
			r.Gap(3)
			r.Put(pal.Muted, pal.Label(d.subject.About, r.Left()))
		})
		return
	}
	about := []paint.Span{{Style: pal.Muted, Text: pal.Label(d.subject.About, max(0, w-24))}}
	names, wheres := 0, 0
	for i := range d.subject.Sides {
		names = max(names, display.Width(display.Sanitize(d.subject.Sides[i].Name)))
		wheres = max(wheres, display.Width(display.Sanitize(d.subject.Sides[i].Where)))
	}
	c = c.Box([]paint.Span{{Style: pal.TextBold, Text: "Compare"}}, about, false)
	for i := range d.subject.Sides {
		side := &d.subject.Sides[i]
		c.Line(func(r *paint.Row) {
			note := paint.If(side.Failed, pal.Error, pal.OK)
			r.Put(letterStyle(pal, i), " "+letters[i]+"  ")
			if side.Frame == "" && side.Time == "" && side.Took == "" { // a file, or a server
				r.Cell(pal.Text, side.Name, min(names, w/3))
				r.Gap(2)
				r.Cell(pal.Muted, side.Where, min(wheres, w/3))
				side.putTarget(r, pal)
				return
			}
			r.Cell(pal.Muted, side.Frame, 6)
			r.Gap(1)
			r.Cell(pal.Text, side.Name, min(24, max(10, w/5)))
			r.Gap(1)
			if w >= 70 {
				r.Cell(pal.Muted, side.Time, 9)
				r.Gap(1)
			}
			if w >= 100 {
				r.Cell(pal.Muted, side.Where, 16)
				r.Gap(1)
			}
			r.CellRight(pal.Text, side.Took, 9)
			r.Gap(1)
			r.CellRight(pal.Text, side.Size, 9)
			r.Gap(2)
			r.Put(note, side.Note)
			side.putTarget(r, pal)
		})
	}
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		d.summary(pal, r)
	})
}

// putTarget writes the target of the server if there is enough room to distinguish it: two builds have the same
// name.
func (s *Side) putTarget(r *paint.Row, pal *paint.Palette) {
	const apart, least = 3, 12
	if s.Target != "" && r.Left() >= apart+least {
		r.Gap(apart)
		r.Put(pal.Text, pal.Label(s.Target, r.Left()-1))
	}
}

// summary counts the differences.
func (d *Dialog) summary(pal *paint.Palette, r *paint.Row) {
	result := d.shown
	switch {
	case result == nil:
		r.Put(pal.Muted, paint.Spinner(pal, d.spin)+" "+d.doing)
		return
	case d.err != nil:
		r.Put(pal.Warn, "Not compared")
		return
	}
	ignored := result.Ignored()
	if len(result.Entries) == ignored && result.More == 0 {
		r.Put(pal.OK, "No differences")
		if !d.strict {
			r.Put(pal.Muted, ", apart from ids, times, cursors, tokens and UUIDs")
		}
		r.Gap(3)
	}
	for _, c := range []struct {
		n     int
		label string
		style paint.Style
	}{
		{result.Effects(diff.Breaking), "breaking for clients of A", pal.Error},
		{result.Effects(diff.LessRisk), "less risk", pal.Warn},
		{result.Effects(diff.Compatible), "compatible", pal.OK},
		{result.Count(diff.Changed), "changed", pal.Warn},
		{result.Count(diff.Added), "added", pal.OK},
		{result.Count(diff.Removed), "removed", pal.Error},
		{result.Count(diff.Reordered), "reordered", pal.Warn},
		{result.More, "more", pal.Warn},
		{ignored, "ignored", pal.Muted},
		{result.Equal, "equal", pal.Muted},
	} {
		if c.n > 0 {
			r.Put(pal.Strong, phrase.Digits(c.n))
			r.Put(c.style, " "+c.label)
			r.Gap(3)
		}
	}
	r.Put(pal.Warn, result.AsText)
}
