package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// letters holds the names of the sides.
var letters = [2]string{"A", "B"}

func letterStyle(pal *paint.Palette, side int) paint.Style {
	return [2]paint.Style{pal.AccentBold, pal.TextBold}[side]
}

// Size implements [app.Dialog]: the window is between the tabs and the last line.
func (d *Dialog) Size(_ *app.Screen, w, h int) (int, int) { return w, h - d.Top() - 1 }

// Top returns the first row of the window on the screen.
func (d *Dialog) Top() int { return 2 }

// low is the height above which the window has rows for both sides over the lines. In a lower
// window, only the titles name the sides.
const low = 24

// Paint implements [app.Pane].
func (d *Dialog) Paint(c *app.Canvas, focused bool) {
	split := c.W >= wide
	if d.chosen {
		split = d.sides
	}
	if split != d.split {
		d.split = split
		if d.shown != nil {
			d.arrange()
		}
	}
	table := 0
	if n := d.list.Len(); n > 0 {
		extra := d.noteRows(c.W)
		table = min(n+2, max(4, c.H/3)) + 2 + extra // including the heading and the command
		if c.H < low {
			table = min(n+3+extra, 6+2*extra)
		}
	}
	head, rest := c.Over(paint.If(c.H < low, min(1, c.H), min(5, c.H)))
	d.header(head)
	table = min(table, rest.H)
	body, items := rest.Over(rest.H - table)
	d.body(body, focused)
	if table > 0 {
		d.table(items)
	}
}

// body paints the lines. If another item was selected, it scrolls to the lines of that item.
func (d *Dialog) body(c *app.Canvas, focused bool) {
	pal := c.Pal
	d.rows = max(0, c.H-2)
	if i := d.list.Index(); i != d.at {
		if d.at = i; i >= 0 && i < len(d.first) && d.first[i] >= 0 {
			if at := d.first[i]; at < d.top || at >= d.top+max(1, d.rows-2) {
				d.top = at - max(1, d.rows/4)
			}
		}
	}
	d.top = max(0, min(d.top, len(d.lines)-d.rows))
	shown := d.lines[min(d.top, len(d.lines)):min(d.top+d.rows, len(d.lines))]
	digits := len(strconv.Itoa(max(d.counts[0], d.counts[1])))
	names := d.titles()
	title := func(i int) []paint.Span {
		return []paint.Span{{Style: letterStyle(pal, i), Text: letters[i] + "  "}, {Style: pal.TextBold, Text: names[i]}}
	}
	count := func(i int) []paint.Span {
		if d.counts[i] == 0 {
			return nil
		}
		return []paint.Span{{Style: pal.Muted, Text: phrase.Count(d.counts[i], "line")}}
	}
	c.Wheel(func(n int) { d.top += n })
	if d.err != nil {
		s := doc.On(c.Box(nil, nil, focused))
		s.Text(pal.Warn, dialog.Sentence(d.err), 6)
		s.Paint()
		return
	}
	if d.shown != nil && len(d.lines) == 0 { // two empty panes would be pointless
		s := doc.On(c.Box(nil, nil, focused))
		s.Text(pal.OK, "The two are equal: "+names[0]+" and "+names[1]+paint.If(d.subject.About == "", "", ", "+d.subject.About)+".", 4)
		s.Keys(1, doc.Key{ID: "fold.toggle", Label: "show the lines"})
		s.Paint()
		return
	}
	if !d.split {
		signs := [2]paint.Span{{Style: pal.Error, Text: pal.Minus + " "}, {Style: pal.OK, Text: "+ "}}
		in := c.Box(slices.Concat([]paint.Span{signs[0]}, title(0), []paint.Span{{Text: "   "}, signs[1]}, title(1)), count(0), focused)
		for i := range shown {
			in.Line(func(r *paint.Row) { d.unifiedLine(r, c, &shown[i], digits) })
		}
		return
	}
	a, b := c.Neighbors(c.W / 2)
	for side, half := range []*app.Canvas{a, b} {
		in := half.Box(title(side), count(side), focused && side == 1)
		for i := range shown {
			in.Line(func(r *paint.Row) { d.sideLine(r, c, &shown[i], side, digits) })
		}
	}
}

func (d *Dialog) unifiedLine(r *paint.Row, c *app.Canvas, l *Line, digits int) {
	if d.heading(r, c.Pal, l) {
		return
	}
	if digits > 1 || d.counts[0] > 0 {
		number(r, c.Pal, l.OldNumber, digits)
		number(r, c.Pal, l.NewNumber, digits)
	}
	r.Gap(1)
	if d.isIgnored(l) {
		r.Right(paint.Span{Style: c.Pal.Muted, Text: " ignored "})
	}
	paintUnified(r, c.Pal, &c.JS, l)
}

func (d *Dialog) sideLine(r *paint.Row, c *app.Canvas, l *Line, side, digits int) {
	if d.heading(r, c.Pal, l) {
		return
	}
	n := [2]int{l.OldNumber, l.NewNumber}[side]
	if d.counts[side] > 0 {
		number(r, c.Pal, n, digits)
	}
	r.Gap(1)
	if d.isIgnored(l) && n > 0 {
		r.Right(paint.Span{Style: c.Pal.Muted, Text: " ignored "})
	}
	half(r, c.Pal, &c.JS, &l.Row, side, r.Left())
}

// heading begins a line with the mark of the selected item, and writes all of one that has
// a heading.
func (d *Dialog) heading(r *paint.Row, pal *paint.Palette, l *Line) bool {
	if l.Entry >= 0 && l.Entry == d.list.Index() {
		r.Put(pal.Accent, pal.Bar)
	} else {
		r.Gap(1)
	}
	if l.Heading == "" {
		return false
	}
	r.Put(pal.Strong, l.Heading)
	return true
}

func (d *Dialog) isIgnored(l *Line) bool { return l.Entry >= 0 && d.shown.Entries[l.Entry].Ignored }

func number(r *paint.Row, pal *paint.Palette, n, digits int) {
	text := ""
	if n > 0 {
		text = strconv.Itoa(n)
	}
	r.CellRight(pal.Muted, text, digits)
	r.Gap(1)
}

// table paints the changes, and the command.
func (d *Dialog) table(c *app.Canvas) {
	pal, result := c.Pal, d.shown
	counted := len(result.Entries) - result.Ignored()
	note := fmt.Sprintf("%s of %s", phrase.Digits(counted+result.More), phrase.Count(len(result.Entries)+result.More+result.Equal, "value"))
	s := doc.On(c.Box([]paint.Span{{Style: pal.Text, Text: "Changes by path"}}, []paint.Span{{Style: pal.Muted, Text: note}}, false))
	command := d.command()
	s.Add(1, func(int) {
		s.Line(func(r *paint.Row) {
			r.Gap(3)
			for i, w := range d.columns(r.Left()) {
				if w == 0 {
					continue
				}
				if i == 3 && d.judged {
					r.Cell(pal.Muted, "effect", effectWidth)
					w -= effectWidth
				}
				r.Cell(pal.Muted, columnNames[i], max(w, 0))
				r.Gap(1)
			}
		})
	})
	s.List(&d.list, nil)
	if i, rows := d.list.Index(), d.noteRows(c.W); rows > 0 && i >= 0 { // the column may be cut, and the text is nowhere else
		s.TextOf(rows, pal.Text, result.Entries[i].Note)
	}
	if command != "" && s.H > 3 {
		s.Row(paint.Span{Style: pal.Muted, Text: command})
	}
	s.Paint()
}

// noteRows returns the number of rows below the list that explain the selected change, in a window of w cells.
func (d *Dialog) noteRows(w int) int {
	if !d.judged {
		return 0
	}
	return paint.If(w < wide, 2, 1)
}

var columnNames = [4]string{"path", "A", "B", "note"}

// maxMeasured is the number of items measured for the column widths, and maxCells the maximum width of one.
const maxMeasured, maxCells = 200, 240

// effectWidth is the width of the effect of a change, before the note.
const effectWidth = 12

// columns returns the widths of path, A, B and note in w cells. They fit the content; if space is short, the
// widest shrinks first.
func (d *Dialog) columns(w int) [4]int {
	if d.widths == [4]int{} {
		var filled [4]bool
		for i, name := range columnNames {
			d.widths[i] = len(name)
		}
		for i := range d.shown.Entries[:min(len(d.shown.Entries), maxMeasured)] {
			cells, _ := d.cells(&d.shown.Entries[i])
			for i, text := range cells {
				d.widths[i] = max(d.widths[i], min(display.Width(display.Sanitize(text)), maxCells))
				filled[i] = filled[i] || text != ""
			}
		}
		for i := 1; d.judged && i < 3; i++ {
			if !filled[i] { // a column without values is left out
				d.widths[i] = 0
			}
		}
	}
	if d.judged {
		return judgedColumns(d.widths, max(0, w-len(d.widths)))
	}
	all := d.widths
	for left := w - len(all) - all[0] - all[1] - all[2] - all[3]; left < 0; left++ {
		widest := 1
		for i := range all {
			if i > 0 && all[i] > all[widest] || i == 0 && all[i]/2 > slices.Max(all[1:]) { // the path identifies the place
				widest = i
			}
		}
		all[widest]--
	}
	return all
}

// judgedColumns returns the widths if the note explains the effect of a change. The selected item's note is
// also below the list. The values, which the lines above show, are left out if they would be too narrow to
// read.
func judgedColumns(content [4]int, w int) (all [4]int) {
	const leastValue, leastNote = 10, 40
	all[3] = min(content[3], max(w*2/5, leastNote), w)
	all[0] = min(content[0], w-all[3])
	rest := w - all[0] - all[3]
	if rest < 2*leastValue && rest < content[1]+content[2] {
		all[3] += rest
		return all
	}
	all[1] = min(content[1], max(rest/2, rest-content[2]))
	all[2] = min(content[2], rest-all[1])
	return all
}

// cells returns the texts of an item: path, A, B and note. warn reports whether the note is a warning.
func (d *Dialog) cells(it *diff.Entry) (cells [4]string, warn bool) {
	cells = [4]string{cmp.Or(it.Name, "(the whole value)"), brief(it.Old), brief(it.New), it.Note}
	switch {
	case it.Renamed != "": // the values are the entries
		cells[0], cells[1], cells[2] = it.Name+phrase.Signs(" → ")+it.Renamed, "", ""
		cells[3] = strings.Repeat(" ", effectWidth) + it.Note
	case it.Effect != 0:
		cells[3] = strings.Repeat(" ", effectWidth) + it.Note
	case it.Note == "":
		cells[3], warn = d.noteOf(it)
	}
	return cells, warn
}

// itemRow writes an item of the table.
func (d *Dialog) itemRow(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	it := &d.shown.Entries[i]
	sign, st := "~", pal.WarnBold
	switch {
	case it.Ignored:
		sign, st = pal.Almost, pal.Muted
	case it.Kind == diff.Added:
		sign, st = "+", pal.OKBold
	case it.Kind == diff.Removed:
		sign, st = pal.Minus, pal.ErrorBold
	}
	path, value := pal.Value, pal.Text
	if it.Ignored {
		path, value = pal.Muted, pal.Muted
	}
	r.Put(st, sign+" ")
	widths := d.columns(r.Left())
	cells, warn := d.cells(it)
	r.Cell(path, cells[0], widths[0])
	r.Gap(1)
	if it.Effect != 0 {
		for i := 1; i < 3; i++ { // the values come before their effect
			if widths[i] > 0 {
				r.Cell(value, cells[i], widths[i])
				r.Gap(1)
			}
		}
		r.Cell([...]paint.Style{diff.Compatible: pal.Muted, diff.LessRisk: pal.WarnBold, diff.Breaking: pal.ErrorBold}[it.Effect], it.Effect.String(), effectWidth)
		r.Put(pal.Text, it.Note)
		return
	}
	for i := 1; i < len(cells); i++ {
		if i == len(cells)-1 && warn {
			value = pal.Warn
		}
		text, w := cells[i], widths[i]
		for ; text != "" && i+1 < len(cells) && cells[i+1] == ""; i++ {
			w += 1 + widths[i+1] // the text extends into the empty cells after it
		}
		r.Cell(value, text, w)
		r.Gap(1)
	}
}

// brief returns a value as a short text.
func brief(value []byte) string {
	switch {
	case value == nil:
		return ""
	case len(value) > 2 && value[0] == '{':
		return fmt.Sprintf("{ %s }", phrase.Count(jsonrpc.Count(value), "member"))
	case len(value) > 40 && value[0] == '[':
		return fmt.Sprintf("[ %s ]", phrase.Count(jsonrpc.Count(value), "item"))
	}
	return string(value[:min(len(value), 200)])
}

// noteOf returns what the values reveal about the effect of a change.
func (d *Dialog) noteOf(it *diff.Entry) (text string, warn bool) {
	old, now := jsonrpc.TypeOf(it.Old), jsonrpc.TypeOf(it.New)
	switch {
	case it.Ignored:
		for _, rule := range d.ignored {
			if rule == anyElement(it.Path) {
				return "ignored: " + rule, false
			}
		}
		return "ignored: differs from run to run", false
	case it.Kind == diff.Reordered:
		return "another order of the elements", false
	case it.Kind == diff.Changed && old != now:
		return old + phrase.Signs(" → ") + now, true
	case it.Kind == diff.Changed && old == "number":
		a, errA := strconv.ParseFloat(string(it.Old), 64)
		b, errB := strconv.ParseFloat(string(it.New), 64)
		if errA == nil && errB == nil {
			return fmt.Sprintf("%+.15g", b-a), false
		}
	case it.Kind == diff.Changed && old == "string" && strings.EqualFold(string(it.Old), string(it.New)):
		return "letter case", false
	}
	return "", false
}
