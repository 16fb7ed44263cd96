package browse

import (
	"mcptea/session"
	"mcptea/ui/changelist"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// sideBySide is the width from which list and item stand next to each other.
const sideBySide = 70

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.area.list, p.area.item, p.area.form, p.area.result = rect{}, rect{}, rect{}, rect{}
	_, e := p.selected()
	if e == nil {
		p.part = inList
	}
	p.notes(pal)
	if w < sideBySide {
		if p.part == inList {
			return p.listBox(pal, w, h, focused)
		}
		return p.itemBox(pal, js, e, 0, w, h, focused)
	}
	lw := min(max(w/4, 26), 46)
	left := p.listBox(pal, lw, h, focused && p.part == inList)
	right := p.itemBox(pal, js, e, lw, w-lw, h, focused && p.part != inList)
	return paint.JoinSide(left, right)
}

func (p *Pane) listBox(pal *paint.Palette, w, h int, focused bool) []string {
	p.area.list = rect{1, 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	title := []paint.Span{{Style: st, Text: p.kind.title}}
	var note []paint.Span
	if p.loading() {
		note = append(note, paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin) + " "})
	}
	note = append(note, changelist.Counts(pal, p.Changes(), " ")...)
	if err := p.failure(); err != nil && len(p.items) > 0 {
		note = append(note, paint.Span{Style: pal.Error, Text: "incomplete "})
	}
	note = append(note, paint.Span{Style: pal.Muted, Text: paint.HumanCount(len(p.items))})
	var body []string
	if len(p.items) == 0 {
		body = p.empty(pal, w-2)
	} else {
		body = p.list.Rows(pal, max(w-2, 0), max(h-2, 0), focused)
	}
	return paint.Box(pal, w, h, focused, title, note, body)
}

// failure is why a list could not be fetched.
func (p *Pane) failure() error {
	for _, name := range p.kind.lists {
		if err := p.state.Lists[name].Err; err != nil {
			return err
		}
	}
	return nil
}

// empty says why there is nothing, and what to do.
func (p *Pane) empty(pal *paint.Palette, w int) []string {
	again := command.KeyIn(command.Browse, command.RefreshList, false) + " refresh"
	var lead, rest string
	st := pal.Text
	offered := false
	for _, name := range p.kind.lists {
		offered = offered || p.state.Lists[name].Offered
	}
	switch err := p.failure(); {
	case p.loading():
		lead = paint.Spinner(pal, p.spin) + " fetching"
	case err != nil:
		lead, rest, st = pal.FailMark+" "+err.Error(), again, pal.Error
	case p.state.Phase == session.Connecting:
		lead = paint.Spinner(pal, p.spin) + " connecting"
	case p.state.Phase == session.Failed || p.state.Phase == session.Idle:
		lead, rest = "not connected", command.KeyOf(command.TabServer)+" shows the cause"
	case !offered:
		lead, rest = "The server does not offer "+p.kind.noun+".", command.KeyOf(command.Compose)+" compose a request"
	default:
		lead, rest = "The server has no "+p.kind.noun+".", again
	}
	var rows []string
	r := pal.Row()
	put := func(st paint.Style, text string) {
		for _, line := range paint.Wrap(text, max(w-2, 1)) {
			r.Start(max(w, 0), paint.Style{})
			r.Gap(1)
			r.Put(st, line)
			rows = append(rows, r.String())
		}
	}
	put(st, lead)
	if rest != "" {
		rows = append(rows, "")
		put(pal.Muted, rest)
	}
	return rows
}
