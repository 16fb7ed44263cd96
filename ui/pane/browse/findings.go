package browse

import (
	"mcptea/session/failure/card"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
)

// maxFindings is how many findings stand under a result.
const maxFindings = 3

// findings are those of the response of a call, without remarks about mcptea
// itself.
func (p *Pane) findings(c *call) []lint.Finding {
	if !c.over || c.err != nil {
		return nil
	}
	row := c.rowOf()
	if row == store.None {
		return nil
	}
	var found []lint.Finding
	for _, f := range p.session.FindingsAt(row) {
		if !f.Self && f.Severity != lint.Info {
			found = append(found, f)
		}
	}
	return found
}

// findingsWord is what the title of a call says of its findings; the output
// schema is checked even without a linter.
func (p *Pane) findingsWord(pal *paint.Palette, c *call, found []lint.Finding) (paint.Span, bool) {
	n, level := len(found), lint.Warn
	for _, f := range found {
		if f.Severity == lint.Error {
			level = lint.Error
		}
	}
	if n == 0 {
		if n, level = len(c.problems), lint.Error; n == 0 {
			return paint.Span{}, false
		}
	}
	text := "   " + severity.Sign(pal, level) + " " + paint.HumanCount(n) + " finding"
	if n > 1 {
		text += "s"
	}
	return paint.Span{Style: severity.Style(pal, level), Text: text + "  "}, true
}

// findingRows paints the findings of a response: the rule, the message, and who
// is responsible.
func (p *Pane) findingRows(pal *paint.Palette, w int, c *call, found []lint.Finding) []func(*paint.Row) {
	var rows []func(*paint.Row)
	add := func(level lint.Severity, rule, text string, right ...paint.Span) {
		lead := severity.Sign(pal, level) + " "
		if rule != "" {
			lead += rule + " "
		}
		lines, room := pal.WrapMost(text, max(1, w-paint.Width(lead)), 2), 0
		for _, sp := range right {
			room += paint.Width(sp.Text)
		}
		fits := paint.Width(lines[len(lines)-1])+paint.Width(lead)+room <= w
		for i, line := range lines {
			rows = append(rows, func(r *paint.Row) {
				if fits && i == len(lines)-1 {
					r.Right(right...)
				}
				if i == 0 {
					r.Put(severity.Bold(pal, level), lead)
				}
				r.To(1 + paint.Width(lead))
				r.Put(pal.Text, line)
			})
		}
		if !fits && room > 0 {
			rows = append(rows, func(r *paint.Row) { r.Right(right...) })
		}
	}
	texts := len(found)
	if texts == 0 {
		texts = len(c.problems)
	}
	for i := range min(texts, maxFindings) {
		if len(found) == 0 {
			add(lint.Error, "", c.problems[i])
			continue
		}
		var right []paint.Span
		if i == 0 {
			right = []paint.Span{
				{Style: pal.Muted, Text: "  responsible: " + severity.Responsible(&found[i]) + "   "},
				{Style: pal.AccentBold, Text: p.key(command.Explain)},
				{Style: pal.Muted, Text: " explain "},
			}
		}
		add(found[i].Severity, found[i].Rule.ID, found[i].Message, right...)
	}
	if texts > maxFindings {
		rows = append(rows, func(r *paint.Row) {
			r.Put(pal.Muted, "  "+paint.HumanCount(texts-maxFindings)+" more   ")
			r.Put(pal.AccentBold, p.key(command.TabProblems))
			r.Put(pal.Muted, " problems")
		})
	}
	return rows
}

// explainFinding shows the card of the first finding of the call on show.
func (p *Pane) explainFinding(e *entry) action.Action {
	c := e.shown()
	if c == nil {
		return action.Flash{Text: "there is no result yet"}
	}
	if found := p.findings(c); len(found) > 0 {
		return action.Explain{Card: card.OfRule(found[0].Rule)}
	}
	if row := c.rowOf(); row != store.None && c.failed() {
		return action.ExplainRow{Row: row}
	}
	return action.Flash{Text: "the response has no findings"}
}
