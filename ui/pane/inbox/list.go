package inbox

import (
	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/requests"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	switch {
	case p.waiting > 0:
		return []paint.Span{{Style: pal.AskedBold, Text: phrase.Digits(p.waiting) + " pending"}}
	case len(p.order) > 0:
		return []paint.Span{{Style: pal.Muted, Text: phrase.Digits(len(p.order))}}
	}
	return nil
}

// empty explains what a server request is and how to get one.
func (p *Pane) empty(d *doc.Doc) {
	pal := d.Pal
	d.Text(pal.Strong, "No sampling or elicitation request yet.", 2)
	d.Gap()
	d.Text(pal.Text, "During a call, a server can request the response of a model (sampling/createMessage) or input from the user (elicitation/create).", 4)
	d.Gap()
	if all := p.s.Policies(); all.Sampling.Mode == requests.PolicyUser || all.Elicitation.Mode == requests.PolicyUser {
		d.Text(pal.Text, "A request waits here, and so does its call, until you respond, decline, or respond with an error.", 4)
	} else {
		d.Text(pal.Warn, pal.WarnMark+" Policies respond to all requests.", 2)
	}
	d.Gap()
	d.Text(pal.Muted, p.tick.Try("ask-user", "ask-model"), 2)
}

// nameOf returns the id of a request, or the key of an input request.
func nameOf(r *requests.Request) string {
	switch {
	case r.Task != "" && r.Key != "":
		return r.Key
	case r.Of.Present():
		return r.Of.String() + " " + r.Key
	}
	return r.ID.String()
}

// idOf returns the id of a request for its row.
func idOf(e *entry, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: paint.If(e.waits(), pal.Asked, pal.Muted), Text: nameOf(&e.req)}}
}

func method(e *entry, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: paint.If(e.waits(), pal.AskedBold, pal.Text), Text: e.req.Method}}
}

// purpose returns the purpose of a pending request, or the outcome of any other request.
func (p *Pane) purpose(e *entry, pal *paint.Palette) []paint.Span {
	switch {
	case !e.waits():
		return outcome(pal, e)
	case e.req.Sampling():
		return []paint.Span{{Style: pal.Warn, Text: paint.Spinner(pal, p.tick.Spin) + " sampler runs"}}
	case e.call.id != "":
		return []paint.Span{{Style: pal.Muted, Text: "for call id " + e.call.id}}
	}
	return nil
}

// took returns how long a request has been or was pending.
func (p *Pane) took(e *entry, pal *paint.Palette) []paint.Span {
	if !e.waits() {
		return []paint.Span{{Style: pal.Muted, Text: phrase.Took(e.took())}}
	}
	took := phrase.Took(max(p.tick.Now.Sub(e.req.Arrived), 0))
	if e.req.Sampling() {
		return []paint.Span{{Style: pal.Muted, Text: took}}
	}
	return []paint.Span{{Style: pal.Warn, Text: p.tick.Waits(pal) + " " + took}}
}

// outcome describes the response to a request, and who responded.
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
	if e.req.Kept() {
		by += ", kept"
	} else if e.req.Unsent() {
		by += ", not sent"
	}
	return []paint.Span{{Style: st, Text: word}, {Style: pal.Muted, Text: by}}
}

// policies adds the policy for each kind of request.
func (p *Pane) policies(d *doc.Doc) {
	pal, all := d.Pal, p.s.Policies()
	change := []paint.Span{{Style: pal.AccentBold, Text: d.Names.Name("setting")}, {Style: pal.Muted, Text: " change "}}
	if roots := d.Names.Name("roots"); roots != "" && d.W >= 44 {
		change = append(change, paint.Span{Style: pal.AccentBold, Text: "  " + roots}, paint.Span{Style: pal.Muted, Text: " roots "})
	}
	d.RowEnd(change, paint.Span{Style: pal.TextBold, Text: "Who responds"}).Give(8, 0)
	kinds := [][2]string{{"sampling", policyWord(all.Sampling)}, {"elicitation", policyWord(all.Elicitation)}, {"roots", rootsWord(all.Roots)}, {"ping", "automatic"}}
	columns := 1
	if d.W >= 44 {
		columns = 2
	}
	d.Add(len(kinds)/columns, func(n int) {
		for i := 0; i < len(kinds) && n == len(kinds)/columns; i += columns {
			d.Line(func(r *paint.Row) {
				for j, k := range kinds[i : i+columns] {
					r.To(1 + j*d.W/2)
					r.Cell(pal.Muted, k[0], 13)
					r.Put(pal.Text, k[1])
				}
			})
		}
	}).Give(8, 0)
}

func rootsWord(p requests.Policy) string {
	if p.Mode == requests.PolicyNone {
		return "automatic"
	}
	return policyWord(p)
}

func policyWord(p requests.Policy) string {
	switch {
	case p.Mode == requests.PolicyNone:
		return "not offered"
	case p.Mode == requests.PolicyResult && p.Name != "":
		return "saved: " + display.Sanitize(p.Name)
	case p.Mode == requests.PolicyResult:
		return "fixed result"
	}
	return p.Mode.String()
}
