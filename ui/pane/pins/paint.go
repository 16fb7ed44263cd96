package pins

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mcptea/session/diff"
	"mcptea/session/pins"
	"mcptea/ui/command"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	room := max(0, h-3-len(p.list)) // below the list, where the detail is beside it
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: []paint.Span{{Text: "Pins"}, {Style: pal.Muted, Text: "  " + paint.Cut(paint.Sanitize(filepath.Base(p.pins.Path())), 30)}},
		Note:  p.note(pal),
		Above: func(w int) []string { return p.heading(pal, w) },
		Below: func(w int) []string { return p.notes(pal, w, room) },
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, _ bool) masterdetail.Box {
			return p.detail(pal, &js, at)
		},
	})
}

// note counts the pins.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	passed, failed := p.Counts()
	if passed+failed == 0 {
		return nil
	}
	spans := []paint.Span{{Style: pal.OK, Text: fmt.Sprintf("%s %d", pal.OKMark, passed)}}
	if failed > 0 {
		spans = append(spans, paint.Span{Style: pal.Error, Text: fmt.Sprintf("  %s %d", pal.FailMark, failed)})
	}
	return append(spans, paint.Span{Style: pal.Muted, Text: "  " + paint.HumanDuration(p.took())})
}

func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	if p.problem != nil {
		s.Text(pal.Warn, p.problem.Error(), 4)
		return s.Rows
	}
	key := command.KeyIn(command.Result, command.PinCall, false)
	s.Text(pal.Text, "No pins yet. "+key+" on a call with a response pins it: it runs again after each restart, and what differs is shown here.", 4)
	return s.Rows
}

// nameWidth is the width of the column of the names.
func (p *Pane) nameWidth(w int) int {
	width := len("pin")
	for i := range p.list {
		width = max(width, paint.Width(paint.Sanitize(p.list[i].Name)))
	}
	return min(width, max(8, (w-12)/2))
}

func (p *Pane) heading(pal *paint.Palette, w int) []string {
	if len(p.list) == 0 {
		return nil
	}
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Right(paint.Span{Style: pal.Muted, Text: "ms "})
	r.Gap(3)
	r.Cell(pal.Muted, "pin", p.nameWidth(w))
	r.Gap(2)
	r.Put(pal.Muted, "call")
	return []string{r.String()}
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	one := &p.list[i]
	right, st := "", pal.Muted
	switch {
	case one.State == pins.NotRun, one.State == pins.Running: // the sign says it
	case one.State == pins.Rejected:
		right = "rejected"
	case one.Took > 0:
		right = milliseconds(one.Took)
	}
	width := p.nameWidth(r.Left() + 1)
	r.Right(paint.Span{Style: st, Text: right + " "})
	mark, markStyle := signOf(pal, one.State, p.spin)
	r.Put(markStyle, mark)
	r.Gap(1)
	name := pal.Text
	if selected {
		name = pal.Strong
	}
	r.Cell(name, one.Name, width)
	r.Gap(2)
	what := one.Subject
	if one.Method != "tools/call" && one.Method != "prompts/get" {
		what = one.Method
	}
	r.Put(pal.Value, what)
}

// signOf is the sign of a state.
func signOf(pal *paint.Palette, s pins.State, spin int) (string, paint.Style) {
	switch s {
	case pins.Running:
		return paint.Spinner(pal, spin), pal.Warn
	case pins.Passed:
		return pal.OKMark, pal.OK
	case pins.Failed:
		return pal.FailMark, pal.Error
	case pins.Rejected:
		return pal.FailMark, pal.Muted
	}
	return pal.Absent, pal.Muted
}

func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return paint.HumanCount(int(ms))
}

// notes are the sentences about pins without a difference, below the list.
func (p *Pane) notes(pal *paint.Palette, w, room int) []string {
	var rows []string
	r := pal.Row()
	add := func(name, text string, st paint.Style) {
		r.Start(w, paint.Style{})
		r.Gap(1)
		if name != "" {
			r.Cell(pal.Muted, name, min(p.nameWidth(w), 16))
			r.Gap(2)
		}
		r.Put(st, text)
		rows = append(rows, r.String())
	}
	for i := range p.list {
		one := &p.list[i]
		text := noteOf(one)
		if text == "" {
			continue
		}
		if len(rows) == min(3, room) {
			break
		}
		st := pal.Text
		if one.State == pins.Failed {
			st = pal.Error
		}
		add(one.Name, text, st)
	}
	switch {
	case len(rows) >= room:
	case p.problem != nil:
		add("", p.problem.Error(), pal.Warn)
	case p.others > 0:
		add("", paint.Plural(p.others, "section")+" of the file for mcptea run only", pal.Muted)
	}
	if rows != nil && len(rows) < room {
		rows = append([]string{""}, rows...)
	}
	return rows
}

// detail is the selected pin: what differs, else its response.
func (p *Pane) detail(pal *paint.Palette, js *paint.JSONStyles, at masterdetail.Rect) masterdetail.Box {
	one := p.selected()
	if one == nil {
		return masterdetail.Box{}
	}
	p.arrange(one)
	title := []paint.Span{
		{Style: pal.TextBold, Text: paint.Cut(paint.Sanitize(one.Name), 30)},
		{Style: pal.Muted, Text: "  " + pal.Label(strings.TrimSpace(one.Subject+" "+arguments(one)), max(0, at.W-30-min(30, paint.Width(paint.Sanitize(one.Name)))))},
	}
	s := paint.NewSheet(pal, at.W, at.H)
	if text := p.sentence(one); text != "" {
		st := pal.Text
		if one.State == pins.Failed {
			st = pal.Error
		}
		s.Text(st, text, 3)
	}
	if one.Warning != "" {
		s.Text(pal.Warn, one.Warning, 2)
	}
	p.rows = max(1, s.Left())
	p.top = max(0, min(p.top, len(p.lines)-p.rows))
	for i := p.top; i < len(p.lines) && s.Left() > 0; i++ {
		s.Line(func(r *paint.Row) { uidiff.Unified(r, pal, js, &p.lines[i]) })
	}
	return masterdetail.Box{Title: title, Note: p.detailNote(pal, one), Rows: s.Rows}
}

// outside names what a pin takes from outside of its file.
func outside(one *pins.Pin) string {
	names := make([]string, 0, len(one.Outside.Variables)+len(one.Outside.Files))
	for _, name := range one.Outside.Variables {
		names = append(names, "$"+name)
	}
	return strings.Join(append(names, one.Outside.Files...), ", ")
}

func (p *Pane) sentence(one *pins.Pin) string {
	switch {
	case one.State == pins.Running:
		return "Running."
	case one.State == pins.NotRun && !one.Outside.Empty():
		return "Not run: it sends " + outside(one) + ". " + command.KeyIn(command.Pins, command.RunPin, false) + " runs it."
	case one.State == pins.NotRun && one.ReadOnly:
		return "Not run yet in this session."
	case one.State == pins.NotRun:
		return "Not run: the tool is not annotated as read-only. " + command.KeyIn(command.Pins, command.RunPin, false) + " runs it."
	case one.State == pins.Passed && len(one.Response) > maxShown:
		return "The response has " + paint.HumanSize(int64(len(one.Response))) + ". " + command.KeyIn(command.Pins, command.ShowPinFrame, false) + " shows its frame."
	case one.State == pins.Passed:
		return ""
	case one.Rows == nil:
		return one.Reason
	}
	return ""
}

// detailNote counts what differs.
func (p *Pane) detailNote(pal *paint.Palette, one *pins.Pin) []paint.Span {
	if one.State == pins.Passed {
		return []paint.Span{{Style: pal.OK, Text: pal.OKMark + " as expected"}}
	}
	if one.Rows == nil {
		return nil
	}
	removed, added := 0, 0
	for i := range p.lines {
		switch p.lines[i].Kind {
		case diff.Removed:
			removed++
		case diff.Added:
			added++
		}
	}
	return []paint.Span{
		{Style: pal.Muted, Text: "expected "},
		{Style: pal.Error, Text: fmt.Sprintf("%s%d", pal.Minus, removed)},
		{Style: pal.Muted, Text: "  now "},
		{Style: pal.OK, Text: fmt.Sprintf("+%d", added)},
	}
}
