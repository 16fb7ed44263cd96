package inbox

import (
	"mcptea/session/inbox"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// The widths from which list and request stand next to each other, and from
// which they still do while an answer is written.
const (
	sideBySide = 70
	roomy      = 100
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.area.list, p.area.item, p.area.request, p.area.answer = rect{}, rect{}, rect{}, rect{}
	e := p.selected()
	switch {
	case e == nil:
		return p.emptyBox(pal, w, h, focused)
	case w < roomy && p.part == inAnswer:
		return p.itemBox(pal, js, e, 0, 0, w, h, focused)
	case w < sideBySide:
		lh := min(2*len(p.order)+2, max(h/3, 4), h)
		list := p.listBox(pal, w, lh, focused)
		return append(list, p.itemBox(pal, js, e, 0, lh, w, h-lh, false)...)
	}
	lw := min(max(w/3, 30), 48)
	left := p.listBox(pal, lw, h, focused && p.part == inList)
	right := p.itemBox(pal, js, e, lw, 0, w-lw, h, focused && p.part == inAnswer)
	return paint.JoinSide(left, right)
}

// emptyBox explains what comes here.
func (p *Pane) emptyBox(pal *paint.Palette, w, h int, focused bool) []string {
	asks := func(m inbox.PolicyMode) bool { return m == inbox.PolicyUser }
	all := p.s.Policies()
	facts := []fact{
		{text: "The server has asked nothing yet.", tone: strong},
		{},
		{text: "A server can ask back while it works: for the answer of a model (sampling/createMessage), or for something that you know or do (elicitation/create)."},
		{},
	}
	if asks(all.Sampling.Mode) || asks(all.Elicitation.Mode) {
		facts = append(facts, fact{text: "Such a request waits here, and its call with it, until you answer, decline, or answer with an error."})
	} else {
		facts = append(facts, fact{text: "None of it waits for you here: --answer said otherwise.", tone: doubtful})
	}
	facts = append(facts, fact{}, fact{text: "To see it: mcptea demo, then call ask-user or ask-model.", tone: quiet})
	foot := p.policies(pal, w-2)
	room := h - 2
	body := factRows(pal, paint.JSONStyles{}, facts, min(w-2, 100), true)
	if room-len(foot) < len(body)+1 {
		foot = nil
	}
	for foot != nil && len(body) < room-len(foot) {
		body = append(body, "")
	}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	return paint.Box(pal, w, h, focused, []paint.Span{{Style: st, Text: "Inbox"}}, nil, append(body, foot...))
}

// hints names the keys that work on a request.
func (p *Pane) hints(e *entry) []command.ID {
	if !e.waits() {
		return []command.ID{command.ShowRequestFrame, command.CopyRequest}
	}
	if e.ask.Required() {
		return []command.ID{command.SendResponse, command.CopyRequest, command.DeclineRequest, command.ShowRequestFrame}
	}
	names := []command.ID{command.SendResponse, command.DeclineRequest, command.DismissRequest}
	if e.shape == page && p.part == inList {
		return append(names, command.CopyRequest, command.ToggleResponseJSON)
	}
	if p.part == inList && e.writable() {
		names = append([]command.ID{command.OpenRequest}, names...)
	}
	if e.shape != unclear {
		names = append(names, command.ToggleResponseJSON)
	}
	return names
}

// label is what a command does with this request.
func label(e *entry, n command.ID) string {
	switch n {
	case command.OpenRequest:
		return "write"
	case command.SendResponse:
		if e.ask.Required() {
			return "call again"
		}
		switch e.shape {
		case form:
			return "accept"
		case page:
			return "agree to open it"
		}
		return "answer"
	case command.DeclineRequest:
		return "decline"
	case command.DismissRequest:
		if e.elicits() {
			return "cancel"
		}
		return "error"
	case command.ToggleResponseJSON:
		if e.asJSON {
			return "back"
		}
		return "JSON"
	case command.CopyRequest:
		if e.shape == page {
			return "copy URL"
		}
	}
	c, _ := command.Named(n)
	return c.Label()
}
