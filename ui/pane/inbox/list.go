package inbox

import (
	"mcptea/client"
	"mcptea/session/requests"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.response = masterdetail.Rect{}
	p.width = 4
	for _, e := range p.order {
		p.width = max(p.width, paint.Width(paint.Sanitize(nameOf(&e.req)))+2)
	}
	p.width = min(p.width, max(w/8, 10))
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: []paint.Span{{Text: "Inbox"}},
		Note:  p.note(pal),
		Below: func(w int) []string { return p.policies(pal, w) },
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, focused bool) masterdetail.Box {
			return p.detail(pal, js, at, focused)
		},
	})
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	switch {
	case p.waiting > 0:
		return []paint.Span{{Style: pal.AskedBold, Text: paint.HumanCount(p.waiting) + " pending"}}
	case len(p.order) > 0:
		return []paint.Span{{Style: pal.Muted, Text: paint.HumanCount(len(p.order))}}
	}
	return nil
}

// empty explains what a server request is and how to get one.
func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, min(w, 100), h)
	s.Text(pal.Strong, "No server requests yet.", 2)
	s.Blank()
	s.Text(pal.Text, "During a call, a server can request the response of a model (sampling/createMessage) or input from the user (elicitation/create).", 4)
	s.Blank()
	if all := p.s.Policies(); all.Sampling.Mode == requests.PolicyUser || all.Elicitation.Mode == requests.PolicyUser {
		s.Text(pal.Text, "A request waits here, and so does its call, until you respond, decline, or respond with an error.", 4)
	} else {
		s.Text(pal.Warn, pal.WarnMark+" Policies respond to all requests.", 2)
	}
	s.Blank()
	s.Text(pal.Muted, "To try it: mcptea demo, then call ask-user or ask-model.", 2)
	return s.Rows
}

// nameOf is the id of a request, or the key of an input request.
func nameOf(r *requests.Request) string {
	switch {
	case r.Task != "" && r.Key != "":
		return r.Key
	case r.Of != "":
		return string(r.Of) + " " + r.Key
	}
	return string(r.ID)
}

// itemRow writes the id and the method of a request, or how long it has been
// pending, or its outcome.
func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
	e := p.order[i]
	if row == 0 {
		id, name := pal.Muted, pal.Text
		if e.waits() {
			id, name = pal.Asked, pal.AskedBold
		}
		if selected {
			name = pal.Strong
		}
		r.Cell(id, nameOf(&e.req), p.width)
		r.Put(name, e.req.Method)
		return
	}
	r.Gap(p.width)
	if !e.waits() {
		r.Right(paint.Span{Style: pal.Muted, Text: paint.HumanDuration(e.took()) + " "})
		r.Spans(outcome(pal, e)...)
		return
	}
	if e.req.Sampling() {
		r.Right(paint.Span{Style: pal.Muted, Text: paint.HumanDuration(max(p.now.Sub(e.req.Arrived), 0)) + " "})
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" sampler runs")
		return
	}
	pending := paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin) + " " + paint.HumanDuration(max(p.now.Sub(e.req.Arrived), 0)) + " "}
	if e.call.id == "" {
		r.Spans(pending)
		return
	}
	r.Right(pending)
	r.Put(pal.Muted, "for call "+e.call.id)
}

// outcome names the response of a request, and who responded.
func outcome(pal *paint.Palette, e *entry) []paint.Span {
	word, st := e.req.State.String(), pal.Warn
	switch e.req.State {
	case requests.Answered:
		word, st = "responded", pal.OK
		if e.req.Required() {
			word = "called again"
		} else if e.req.Method == client.MethodElicitation {
			word = "accepted"
		}
	case requests.Refused:
		word, st = "error", pal.Error
	}
	by := ""
	switch e.req.By {
	case "":
	case "deadline":
		by = ": timed out"
	case "server", "user", "sampler":
		by = " by the " + e.req.By
	default:
		by = " by " + e.req.By
	}
	return []paint.Span{{Style: st, Text: word}, {Style: pal.Muted, Text: by}}
}

// policies says what responds to each kind of request.
func (p *Pane) policies(pal *paint.Palette, w int) []string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	r.Put(pal.TextBold, "policy")
	r.Gap(2)
	r.Put(pal.AccentBold, p.keyOf(command.ChoosePolicy))
	r.Put(pal.Muted, " change")
	rows := []string{r.String()}
	all := p.s.Policies()
	kinds := []struct{ name, policy string }{
		{"sampling", policyWord(all.Sampling)},
		{"elicitation", policyWord(all.Elicitation)},
		{"roots", rootsWord(all.Roots)},
		{"ping", "automatic"},
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
		r.Put(pal.Text, k.policy)
		if i%columns == columns-1 {
			rows = append(rows, r.String())
		}
	}
	return rows
}

func rootsWord(p requests.Policy) string {
	if p.Mode == requests.PolicyNone {
		return "automatic"
	}
	return policyWord(p)
}

func policyWord(p requests.Policy) string {
	switch p.Mode {
	case requests.PolicyUser:
		return "ask"
	case requests.PolicyDecline:
		return "decline"
	case requests.PolicyCancel:
		return "cancel"
	case requests.PolicyError:
		return "error"
	case requests.PolicyResult:
		if p.Name != "" {
			return "saved: " + paint.Sanitize(p.Name)
		}
		return "fixed result"
	case requests.PolicyAccept:
		return "accept"
	case requests.PolicyCommand:
		return "sampler"
	}
	return "not offered"
}
