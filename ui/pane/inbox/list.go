package inbox

import (
	"mcptea/client"
	"mcptea/session/inbox"
	"mcptea/ui/paint"
)

// listBox paints the requests, and under them who answers what.
func (p *Pane) listBox(pal *paint.Palette, w, h int, focused bool) []string {
	p.area.list = rect{1, 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	title := []paint.Span{{Style: st, Text: "Inbox"}}
	var note []paint.Span
	switch {
	case p.waiting == 1:
		note = []paint.Span{{Style: pal.Warn, Text: "1 waits"}}
	case p.waiting > 1:
		note = []paint.Span{{Style: pal.Warn, Text: paint.HumanCount(p.waiting) + " wait"}}
	case len(p.order) > 0:
		note = []paint.Span{{Style: pal.Muted, Text: paint.HumanCount(len(p.order))}}
	}
	foot := p.policies(pal, w-2)
	room := h - 2
	if room-len(foot) < 2*min(len(p.order), 3) {
		foot = nil
	}
	body := p.requests(pal, max(w-2, 0), max(room-len(foot), 0), focused)
	for foot != nil && len(body) < room-len(foot) {
		body = append(body, "")
	}
	return paint.Box(pal, w, h, focused, title, note, append(body, foot...))
}

// requests paints two rows for each request, and an empty one where there is
// room for all of them.
func (p *Pane) requests(pal *paint.Palette, w, h int, focused bool) []string {
	each := 2
	if 3*len(p.order)-1 <= h {
		each = 3
	}
	fits := max((h+each-2)/each, 1)
	at := max(p.place(), 0)
	p.top = min(p.top, at)
	p.top = max(p.top, at-fits+1)
	p.top = max(0, min(p.top, len(p.order)-fits))
	ids := 0
	for _, e := range p.order[p.top:min(p.top+fits, len(p.order))] {
		ids = max(ids, paint.Width(paint.Sanitize(nameOf(&e.ask)))+2)
	}
	ids = min(max(ids, 4), w/3)
	p.rows = p.rows[:0]
	var out []string
	add := func(row string, i int) {
		if len(out) < h {
			out, p.rows = append(out, row), append(p.rows, i)
		}
	}
	for i := p.top; i < len(p.order) && len(out) < h; i++ {
		first, second := p.request(pal, p.order[i], w, ids, i == at, focused)
		add(first, i)
		add(second, i)
		if each == 3 {
			add("", -1)
		}
	}
	return out
}

// nameOf is the id of a request, or where it stood in a result, or in a task.
func nameOf(a *inbox.Request) string {
	if a.Task != "" && a.Key != "" {
		return a.Key
	}
	if a.Of != "" {
		return string(a.Of) + " " + a.Key
	}
	return string(a.ID)
}

func (p *Pane) request(pal *paint.Palette, e *entry, w, ids int, selected, focused bool) (first, second string) {
	r := pal.Row()
	base, mark := paint.Style{}, " "
	if selected {
		base = pal.Selected
		mark = pal.Bar
	}
	bar := pal.Muted
	if focused {
		bar = pal.Accent
	}
	id, name := pal.Muted, pal.Text
	if e.waits() {
		id, name = pal.Asked, pal.AskedBold
	}
	if selected {
		name = pal.Strong
	}
	r.Start(w, base)
	r.Put(bar, mark)
	r.ForeignCell(id, nameOf(&e.ask), ids)
	r.Foreign(name, e.ask.Method)
	first = r.String()
	r.Start(w, base)
	r.Put(bar, mark)
	r.Gap(ids)
	if e.waits() {
		took := paint.Spinner(pal, p.spin) + " " + paint.HumanDuration(max(p.now.Sub(e.ask.Arrived), 0))
		if e.during.id != "" {
			r.Right(paint.Span{Style: pal.Warn, Text: took + " "})
			by := "asked by call "
			if w < 36 {
				by = "call "
			}
			r.Foreign(pal.Muted, by+e.during.id)
		} else {
			r.Put(pal.Warn, took)
		}
		return first, r.String()
	}
	r.Right(paint.Span{Style: pal.Muted, Text: paint.HumanDuration(max(e.ask.Answered.Sub(e.ask.Arrived), 0)) + " "})
	r.Put(outcomeStyle(pal, e.ask.State), outcome(e))
	r.Put(pal.Muted, byWhom(e.ask.By))
	return first, r.String()
}

// outcome is what became of a request, in a word.
func outcome(e *entry) string {
	switch e.ask.State {
	case inbox.Answered:
		if e.ask.Required() {
			return "called again"
		}
		if e.ask.Method == client.MethodElicitation {
			return "accepted"
		}
	case inbox.Refused:
		return "error"
	case inbox.Withdrawn:
		return "taken back"
	}
	return e.ask.State.String()
}

func byWhom(by string) string {
	switch by {
	case "":
		return ""
	case "deadline":
		return ": nobody answered"
	case "server":
		return " by the server"
	}
	return " by " + by
}

func outcomeStyle(pal *paint.Palette, s inbox.State) paint.Style {
	switch s {
	case inbox.Answered:
		return pal.OK
	case inbox.Refused:
		return pal.Error
	}
	return pal.Warn
}

// policies says who answers which kind of request.
func (p *Pane) policies(pal *paint.Palette, w int) []string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	r.Put(pal.TextBold, "policy")
	rows := []string{r.String()}
	all := p.s.Policies()
	kinds := []struct{ name, how string }{
		{"sampling", policyWord(all.Sampling.Mode)},
		{"elicitation", policyWord(all.Elicitation.Mode)},
		{"roots", "answered"},
		{"ping", "answered"},
	}
	columns := 1
	if w >= 44 {
		columns = 2
	}
	for i, k := range kinds {
		if i%columns == 0 {
			r.Start(w, paint.Style{})
			r.Gap(1)
		} else {
			r.To(1 + w/2)
		}
		r.Cell(pal.Muted, k.name, 13)
		r.Put(pal.Text, k.how)
		if i%columns == columns-1 {
			rows = append(rows, r.String())
		}
	}
	return rows
}

func policyWord(m inbox.PolicyMode) string {
	switch m {
	case inbox.PolicyUser:
		return "ask"
	case inbox.PolicyDecline:
		return "decline"
	case inbox.PolicyCancel:
		return "cancel"
	case inbox.PolicyError:
		return "error"
	case inbox.PolicyResult:
		return "given answer"
	}
	return "not offered"
}
