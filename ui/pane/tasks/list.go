package tasks

import (
	"strconv"
	"time"

	"mcptea/session/tasks"
	"mcptea/ui/paint"
)

// The widths from which list and task stand next to each other, and from which
// they still do while an outcome is read.
const (
	sideBySide = 70
	roomy      = 100
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.area.list, p.area.item, p.area.result = rect{}, rect{}, rect{}
	t := p.selected()
	switch {
	case t == nil:
		return p.emptyBox(pal, w, h, focused)
	case w < roomy && p.part == inResult:
		return p.itemBox(pal, js, t, 0, 0, w, h, focused)
	case w < sideBySide:
		lh := min(2*len(p.order)+2, max(h/3, 4), h)
		list := p.listBox(pal, w, lh, focused)
		return append(list, p.itemBox(pal, js, t, 0, lh, w, h-lh, false)...)
	}
	lw := min(max(w/3, 28), 44)
	left := p.listBox(pal, lw, h, focused && p.part == inList)
	right := p.itemBox(pal, js, t, lw, 0, w-lw, h, focused && p.part == inResult)
	return paint.JoinSide(left, right)
}

// emptyBox explains what comes here.
func (p *Pane) emptyBox(pal *paint.Palette, w, h int, focused bool) []string {
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	s := &sheet{paint.NewSheet(pal, w-2, h-2)}
	s.Text(pal.Strong, "No call has become a task yet.", 2)
	s.Blank()
	s.Text(pal.Text, "A task is work that a server goes on with after it has answered: the call ends when the task does, and meanwhile the task is looked after here.", 4)
	s.Blank()
	if p.st.Handshake.Revision.IsStateless() {
		s.Text(pal.Text, "The server decides which calls become tasks.", 2)
	} else {
		s.Text(pal.Text, "A call becomes a task when it is asked for: always for tools that require it, and with ctrl+g in the form of those that allow it.", 4)
	}
	s.Blank()
	s.Text(pal.Muted, "To see it: mcptea demo, then call brew-task.", 2)
	if p.lists() {
		s.Blank()
		s.Line(func(r *paint.Row) { hint(r, pal, true, keyList, "asks the server which tasks it knows") })
	}
	return paint.Box(pal, w, h, focused, []paint.Span{{Style: st, Text: "Tasks"}}, nil, s.Rows)
}

// listBox paints the tasks, two rows for each.
func (p *Pane) listBox(pal *paint.Palette, w, h int, focused bool) []string {
	p.area.list = rect{1, 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	note := []paint.Span{{Style: pal.Muted, Text: paint.HumanCount(len(p.order))}}
	switch {
	case p.asking > 0:
		note = []paint.Span{{Style: pal.AskedBold, Text: paint.HumanCount(p.asking) + " asks you"}}
	case p.running > 0:
		note = []paint.Span{{Style: pal.Warn, Text: paint.HumanCount(p.running) + " running"}}
	}
	body := p.list(pal, max(w-2, 0), max(h-2, 0), focused)
	return paint.Box(pal, w, h, focused, []paint.Span{{Style: st, Text: "Tasks"}}, note, body)
}

func (p *Pane) list(pal *paint.Palette, w, h int, focused bool) []string {
	each := 2
	if 3*len(p.order)-1 <= h {
		each = 3
	}
	fits := max((h+each-2)/each, 1)
	at := max(p.place(), 0)
	p.top = min(p.top, at)
	p.top = max(p.top, at-fits+1)
	p.top = max(0, min(p.top, len(p.order)-fits))
	p.rows = p.rows[:0]
	var out []string
	add := func(row string, i int) {
		if len(out) < h {
			out, p.rows = append(out, row), append(p.rows, i)
		}
	}
	for i := p.top; i < len(p.order) && len(out) < h; i++ {
		first, second := p.entry(pal, p.order[i], w, i == at, focused)
		add(first, i)
		add(second, i)
		if each == 3 {
			add("", -1)
		}
	}
	return out
}

// entry paints one task: whose it is and how it stands; for how long, and what
// is left.
func (p *Pane) entry(pal *paint.Palette, t *tasks.Task, w int, selected, focused bool) (first, second string) {
	r := pal.Row()
	base, mark := paint.Style{}, " "
	if selected {
		base, mark = pal.Selected, pal.Bar
	}
	bar := pal.Muted
	if focused {
		bar = pal.Accent
	}
	name := pal.Text
	if runs(t) {
		name = pal.TextBold
	}
	if selected {
		name = pal.Strong
	}
	r.Start(w, base)
	r.Put(bar, mark)
	r.Right(paint.Span{Style: style(pal, t), Text: paint.Sanitize(word(t)) + " "})
	r.Foreign(name, nameOf(t))
	first = r.String()

	r.Start(w, base)
	r.Put(bar, mark)
	r.Right(paint.Span{Style: pal.Muted, Text: p.left(t) + " "})
	if runs(t) {
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" "+paint.HumanDuration(max(p.now.Sub(t.FirstSeen), 0)))
	} else {
		r.Put(pal.Muted, paint.HumanDuration(max(t.Ended.Sub(t.FirstSeen), 0)))
	}
	r.Gap(2)
	r.Foreign(pal.Muted, doing(t))
	return first, r.String()
}

// nameOf is what a task is called in the list: its tool, or its id when the call
// is not known.
func nameOf(t *tasks.Task) string {
	if t.Tool != "" {
		return t.Tool
	}
	return t.ID
}

// doing is what is known of the work, in a few words.
func doing(t *tasks.Task) string {
	if t.HasTotal && t.Total > 0 && runs(t) {
		return number(t.Progress) + "/" + number(t.Total)
	}
	return t.Message
}

// left is how long the server keeps the task yet.
func (p *Pane) left(t *tasks.Task) string {
	switch at := t.Expires(); {
	case at.IsZero():
		return ""
	case !p.now.Before(at):
		return "expired"
	default:
		return "kept " + clock(at.Sub(p.now))
	}
}

// clock writes what is left to the second: "4:58".
func clock(d time.Duration) string {
	n := int(d.Round(time.Second) / time.Second)
	if n >= 3600 {
		return strconv.Itoa(n/3600) + " h " + two(n%3600/60)
	}
	return strconv.Itoa(n/60) + ":" + two(n%60)
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
