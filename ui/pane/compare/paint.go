package compare

import (
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/diff"
	"mcptea/ui/command"
	"mcptea/ui/difference"
	"mcptea/ui/paint"
)

// letters are the names of the sides.
var letters = [2]string{"A", "B"}

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js *paint.JSONStyles, w, h int) []string {
	split := w >= wide
	if p.chosen {
		split = p.sides
	}
	if split != p.split {
		p.split = split
		if p.shown != nil {
			p.arrange()
			p.show()
		}
	}
	table := 0
	if n := p.list.Len(); n > 0 {
		table = min(n+2, max(4, h/3)) + 2 // with the heading and the command
		if h < 26 {
			table = min(n+3, 6)
		}
	}
	rows := p.header(pal, w, 5)
	rows = append(rows, p.body(pal, js, w, h-5-table-1)...)
	if table > 0 {
		rows = append(rows, p.table(pal, w, table)...)
	}
	return append(rows[:h-1], p.hints(pal, w))
}

// header are the two sides and the counts.
func (p *Pane) header(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w-2, h-2)
	styles := [2]paint.Style{pal.ErrorBold, pal.OKBold}
	for i := range p.values.Sides {
		side := &p.values.Sides[i]
		s.Line(func(r *paint.Row) {
			note := pal.OK
			if side.Wrong {
				note = pal.Error
			}
			r.Put(styles[i], letters[i]+"  ")
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
		})
	}
	s.Line(func(r *paint.Row) { p.counts(pal, r) })
	subject := []paint.Span{{Style: pal.Muted, Text: pal.Label(p.values.Subject, max(0, w-24))}}
	return paint.Box(pal, w, h, false, []paint.Span{{Style: pal.TextBold, Text: "Compare"}}, subject, s.Rows)
}

func (p *Pane) counts(pal *paint.Palette, r *paint.Row) {
	if p.shown == nil {
		r.Put(pal.Muted, paint.Spinner(pal, p.spin)+" Comparing.")
		return
	}
	if p.shown.err != nil {
		r.Put(pal.Warn, "This cannot be compared: "+p.shown.err.Error()+".")
		return
	}
	report := &p.shown.report
	ignored := report.Ignored()
	if len(report.Entries) == ignored && report.More == 0 {
		r.Put(pal.OK, "No differences")
		if !p.strict {
			r.Put(pal.Muted, ", apart from ids, times, cursors, tokens and UUIDs")
		}
		r.Gap(3)
	}
	for _, c := range []struct {
		n     int
		label string
		style paint.Style
	}{
		{report.Count(diff.Changed), "changed", pal.Warn},
		{report.Count(diff.Added), "added", pal.OK},
		{report.Count(diff.Removed), "removed", pal.Error},
		{report.Count(diff.Reordered), "reordered", pal.Warn},
		{report.More, "more", pal.Warn},
		{ignored, "ignored", pal.Muted},
		{report.Equal, "equal", pal.Muted},
	} {
		if c.n > 0 {
			r.Put(pal.Strong, paint.HumanCount(c.n))
			r.Put(c.style, " "+c.label)
			r.Gap(3)
		}
	}
}

// body are the lines.
func (p *Pane) body(pal *paint.Palette, js *paint.JSONStyles, w, h int) []string {
	p.rows = max(0, h-2)
	p.top = max(0, min(p.top, len(p.lines)-p.rows))
	shown := p.lines[min(p.top, len(p.lines)):min(p.top+p.rows, len(p.lines))]
	styles := [2]paint.Style{pal.ErrorBold, pal.OKBold}
	title := func(i int) []paint.Span {
		return []paint.Span{{Style: styles[i], Text: letters[i] + "  "}, {Style: pal.TextBold, Text: p.nameOf(i)}}
	}
	lines := func(i int) []paint.Span {
		if p.shown == nil || p.shown.counts[i] == 0 {
			return nil
		}
		return []paint.Span{{Style: pal.Muted, Text: paint.Plural(p.shown.counts[i], "line")}}
	}
	digits := 0
	if p.shown != nil {
		digits = len(strconv.Itoa(max(p.shown.counts[0], p.shown.counts[1])))
	}
	if !p.split {
		s := p.unified(pal, js, w-2, digits, shown)
		spans := append(title(0), paint.Span{Text: "   "})
		return paint.Box(pal, w, h, true, append(spans, title(1)...), lines(1), s)
	}
	var halves [2][]string
	for i := range halves {
		half := w / 2
		if i == 1 {
			half = w - w/2
		}
		var rows []string
		r := pal.Row()
		for k := range shown {
			r.Start(half-2, paint.Style{})
			p.sideLine(r, pal, js, &shown[k], i, digits)
			rows = append(rows, r.String())
		}
		halves[i] = paint.Box(pal, half, h, i == 1, title(i), lines(i), rows)
	}
	return paint.JoinSide(halves[0], halves[1])
}

func (p *Pane) unified(pal *paint.Palette, js *paint.JSONStyles, w, digits int, shown []line) []string {
	var rows []string
	r := pal.Row()
	for k := range shown {
		l := &shown[k]
		r.Start(w, paint.Style{})
		p.mark(r, pal, l)
		number(r, pal, l.OldNumber, digits)
		number(r, pal, l.NewNumber, digits)
		r.Gap(1)
		if p.isIgnored(l) {
			r.Right(paint.Span{Style: pal.Muted, Text: " ignored "})
		}
		difference.Unified(r, pal, js, &l.Row, l.pair)
		rows = append(rows, r.String())
	}
	return rows
}

func (p *Pane) sideLine(r *paint.Row, pal *paint.Palette, js *paint.JSONStyles, l *line, side, digits int) {
	p.mark(r, pal, l)
	n, write := l.OldNumber, difference.Old
	if side == 1 {
		n, write = l.NewNumber, difference.New
	}
	number(r, pal, n, digits)
	r.Gap(1)
	if p.isIgnored(l) && n > 0 {
		r.Right(paint.Span{Style: pal.Muted, Text: " ignored "})
	}
	write(r, pal, js, &l.Row, r.Left())
}

func (p *Pane) isIgnored(l *line) bool {
	return l.Entry >= 0 && p.shown.report.Entries[l.Entry].Ignored
}

// mark marks the lines of the selected entry.
func (p *Pane) mark(r *paint.Row, pal *paint.Palette, l *line) {
	if l.Entry >= 0 && l.Entry == p.list.Index() {
		r.Put(pal.Accent, pal.Bar)
		return
	}
	r.Gap(1)
}

func number(r *paint.Row, pal *paint.Palette, n, digits int) {
	text := ""
	if n > 0 {
		text = strconv.Itoa(n)
	}
	r.CellRight(pal.Muted, text, digits)
	r.Gap(1)
}

// table are the changes by path, and the command.
func (p *Pane) table(pal *paint.Palette, w, h int) []string {
	inner, room := w-2, h-2
	var rows []string
	r := pal.Row()
	r.Start(inner, paint.Style{})
	c := columns(inner)
	r.Gap(3)
	r.Cell(pal.Muted, "path", c[0])
	r.Cell(pal.Muted, "A", c[1])
	r.Cell(pal.Muted, "B", c[2])
	r.Put(pal.Muted, "note")
	rows = append(rows, r.String())
	text := p.command()
	last := 0
	if text != "" && room > 3 {
		last = 1
	}
	rows = append(rows, p.list.Paint(pal, inner, room-1-last, true)...)
	if last > 0 {
		for len(rows) < room-1 {
			rows = append(rows, "")
		}
		r.Start(inner, paint.Style{})
		r.Right(paint.Span{Style: pal.AccentBold, Text: "  " + command.KeyIn(command.Compare, command.CopyCommand, false)}, paint.Span{Style: pal.Muted, Text: " copy "})
		r.Gap(1)
		r.Put(pal.Muted, text)
		rows = append(rows, r.String())
	}
	report := &p.shown.report
	counted := len(report.Entries) - report.Ignored()
	note := fmt.Sprintf("%s of %s", paint.HumanCount(counted+report.More), paint.Plural(len(report.Entries)+report.More+report.Equal, "value"))
	return paint.Box(pal, w, h, false, []paint.Span{{Style: pal.Text, Text: "Changes by path"}}, []paint.Span{{Style: pal.Muted, Text: note}}, rows)
}

// columns are the widths of path, A and B.
func columns(w int) [3]int { return [3]int{w * 36 / 100, w * 20 / 100, w * 20 / 100} }

// entryRow writes an entry of the table.
func (p *Pane) entryRow(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	e := &p.shown.report.Entries[i]
	sign, st := "~", pal.WarnBold
	switch {
	case e.Ignored:
		sign, st = pal.Almost, pal.Muted
	case e.Kind == diff.Added:
		sign, st = "+", pal.OKBold
	case e.Kind == diff.Removed:
		sign, st = pal.Minus, pal.ErrorBold
	}
	c := columns(r.Left() + 1)
	path, value := pal.Value, pal.Text
	if e.Ignored {
		path, value = pal.Muted, pal.Muted
	}
	r.Put(st, sign+" ")
	name := e.Name
	if name == "" {
		name = "(the whole value)"
	}
	r.Cell(path, name, c[0]-1)
	r.Gap(1)
	r.Cell(value, brief(e.Old), c[1]-1)
	r.Gap(1)
	r.Cell(value, brief(e.New), c[2]-1)
	r.Gap(1)
	text, warn := p.noteOf(e)
	if warn {
		value = pal.Warn
	}
	r.Put(value, text)
}

// brief is a value in a few characters.
func brief(value []byte) string {
	switch {
	case value == nil:
		return ""
	case len(value) > 2 && (value[0] == '{' || value[0] == '['):
		n := 0
		if value[0] == '{' {
			for range jsonrpc.Members(value) {
				n++
			}
			return fmt.Sprintf("{ %s }", paint.Plural(n, "member"))
		}
		if len(value) <= 40 {
			return string(value)
		}
		for range jsonrpc.Elements(value) {
			n++
		}
		return fmt.Sprintf("[ %s ]", paint.Plural(n, "item"))
	}
	return string(value[:min(len(value), 200)])
}

// noteOf says what a change means, as far as the values tell.
func (p *Pane) noteOf(e *diff.Entry) (text string, warn bool) {
	old, now := jsonrpc.TypeOf(e.Old), jsonrpc.TypeOf(e.New)
	switch {
	case e.Ignored:
		for _, rule := range p.ignored {
			if rule == anyElement(e.Path) {
				return "ignored: " + rule, false
			}
		}
		return "ignored: differs from run to run", false
	case e.Kind == diff.Reordered:
		return "another order of the elements", false
	case e.Kind == diff.Changed && old != now:
		return old + " → " + now, true
	case e.Kind == diff.Changed && old == "number":
		a, errA := strconv.ParseFloat(string(e.Old), 64)
		b, errB := strconv.ParseFloat(string(e.New), 64)
		if errA == nil && errB == nil {
			return fmt.Sprintf("%+.6g", b-a), false
		}
	case e.Kind == diff.Changed && old == "string" && strings.EqualFold(string(e.Old), string(e.New)):
		return "letter case", false
	}
	return "", false
}

// hints are the keys in the last row.
func (p *Pane) hints(pal *paint.Palette, w int) string {
	s := paint.NewSheet(pal, w, 1)
	var hints []paint.Hint
	for _, c := range command.Footer(command.Compare) {
		if key := c.Key(false); key != "" && c.Context == command.Compare && p.Works(c.ID) {
			label := c.Label()
			switch {
			case c.ID == command.ToggleSides && !p.split:
				label = "side by side"
			case c.ID == command.ToggleFold && p.whole:
				label = "fold"
			}
			hints = append(hints, paint.Hint{Key: key, Label: label})
		}
	}
	s.Hints(1, append([]paint.Hint{{Key: command.KeyOf(command.Dismiss), Label: "back"}}, hints...)...)
	return s.Rows[0]
}
