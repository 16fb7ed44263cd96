package browse

import (
	"cmp"
	"slices"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// maxFindings bounds the findings shown below a result.
const maxFindings = 3

// findings returns the findings about the response of a call and about related frames, such as a duplicate
// response. Findings about mcptea itself are excluded.
func (p *Panel) findings(c *call) []lint.Finding {
	if !c.over || c.err != nil && !isInvalid(c.err) {
		return nil
	}
	row := c.row
	if row == store.None {
		return nil
	}
	var found []lint.Finding
	request, _ := p.s.Store().Row(row)
	for _, f := range p.s.FindingsSince(request.Pair, row) {
		if !f.Self && (f.Severity != lint.Info || f.Unjudged) {
			found = append(found, f)
		}
	}
	return found
}

// besides returns the findings except J001 of a call that failed because its response is not JSON.
func (p *Panel) besides(c *call) []lint.Finding {
	return slices.DeleteFunc(p.findings(c), func(f lint.Finding) bool { return isInvalid(c.err) && f.Rule.ID == "J001" })
}

// findingsWord returns the number and severity of the findings for the title of a call. Without a linter, it
// counts violations of the output schema.
func (p *Panel) findingsWord(pal *paint.Palette, c *call, found []lint.Finding) (paint.Span, bool) {
	n, level := len(found), lint.Info
	for _, s := range []lint.Severity{lint.Warn, lint.Error} {
		if slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Severity == s }) {
			level = s
		}
	}
	if n == 0 {
		if n, level = len(c.problems), lint.Error; n == 0 {
			return paint.Span{}, false
		}
	}
	text := "   " + app.SeveritySign(pal, level) + " " + phrase.Count(n, "finding") + "  "
	return paint.Span{Style: app.SeverityStyle(pal, level), Text: text}, true
}

// findingRows shows the findings about a response, with the responsible side.
func (p *Panel) findingRows(d *doc.Doc, c *call, found []lint.Finding) {
	pal := d.Pal
	texts := cmp.Or(len(found), len(c.problems))
	for i := range min(texts, maxFindings) {
		if len(found) == 0 {
			finding(d, 2, lint.Error, "", c.problems[i])
			continue
		}
		f, right := &found[i], []paint.Span(nil)
		if i == 0 {
			right = []paint.Span{
				{Style: pal.Muted, Text: "  responsible: " + f.Responsible() + "   "},
				{Style: pal.AccentBold, Text: d.Names.Name("explain")},
				{Style: pal.Muted, Text: " explain "},
			}
		}
		finding(d, 2, f.Severity, f.Rule.ID+" ", f.Message, right...)
	}
	moreFindings(d, texts)
}

// moreFindings shows how many findings are left out and where to find them.
func moreFindings(d *doc.Doc, n int) {
	if n > maxFindings {
		d.Row(paint.Span{Style: d.Pal.Muted, Text: "  " + phrase.Digits(n-maxFindings) + " more   "},
			paint.Span{Style: d.Pal.AccentBold, Text: d.Names.Name("tab.problems")}, paint.Span{Style: d.Pal.Muted, Text: " Problems tab"}).Give(5, 0)
	}
}

// finding shows a finding in at most that many rows. right is placed at the end of the last row, or below it if
// it does not fit.
func finding(d *doc.Doc, most int, level lint.Severity, rule, text string, right ...paint.Span) {
	pal := d.Pal
	lead := app.SeveritySign(pal, level) + " " + rule
	w, room := d.W-2, paint.SpansWidth(right)
	lines := pal.WrapMost(text, max(1, w-display.Width(lead)), most+1)
	last := len(lines) - 1
	fits := last < most && display.Width(lines[last])+display.Width(lead)+room <= w
	d.Growing(text, w-display.Width(lead), most, func(r *paint.Row, i int, line string) {
		if fits && i == last {
			r.Right(right...)
		}
		if i == 0 {
			r.Put(app.SeverityBold(pal, level), lead)
		}
		r.To(1 + display.Width(lead))
		r.Put(pal.Text, line)
	}).Give(5, 0)
	if !fits && room > 0 {
		d.Lines(1, func(r *paint.Row, _ int) { r.Right(right...) }).Give(5, 0)
	}
}

// explain opens the card of the first finding about a call or, without findings, of its error.
func (p *Panel) explain(_ *Item, c *call) {
	if found := p.findings(c); len(found) > 0 {
		p.app.Explain(card.OfFinding(found[0].Rule, found[0].Message, found[0].Hint))
		return
	}
	p.Explain(c.row)
}

// unexplained returns why there is nothing to explain, or "".
func (p *Panel) unexplained(_ *Item, c *call) string {
	if c.over && (len(p.findings(c)) > 0 || c.row != store.None && c.failed()) {
		return ""
	}
	return "The response has no findings."
}

// FoundOf returns the most severe finding about an item and the number of findings.
func (p *Panel) FoundOf(it offer.Item) (worst lint.Finding, n int) {
	return p.s.FindingsAbout(it.Kind, cmp.Or(it.URI, it.Name))
}

// found shows the most severe finding about an item, and the key that shows all of them.
func (e *Item) found(d *doc.Doc) {
	worst, n := e.p.FoundOf(e.item)
	if n == 0 || n == 1 && e.saysBelow(worst) {
		return
	}
	var right paint.Spans
	right.If(n > 1, d.Pal.Muted, "  +"+phrase.Digits(n-1))
	right = append(right, paint.Span{Style: d.Pal.AccentBold, Text: "  " + d.Names.Name("item.problems")}, paint.Span{Style: d.Pal.Muted, Text: " problems "})
	finding(d, paint.If(d.H < roomy, 2, 8), worst.Severity, worst.Rule.ID+" ", worst.Message, right...)
}

// roomy is the page height from which a finding is shown in full. Problems always shows it in full.
const roomy = 16

// saysBelow reports whether the finding is already listed below the selected result.
func (e *Item) saysBelow(f lint.Finding) bool {
	c := e.shown()
	return c != nil && slices.ContainsFunc(e.p.findings(c), func(one lint.Finding) bool { return one.Rule == f.Rule && one.Row == f.Row })
}

// showFound shows the findings about an item in Problems.
func (p *Panel) showFound(e *Item) {
	worst, _ := p.FoundOf(e.item)
	p.ShowFinding(worst)
}

// nothingFound returns why there are no findings to show, or "".
func (p *Panel) nothingFound(e *Item) string {
	_, n := p.FoundOf(e.item)
	return keys.Reason(n == 0, "No rule has found anything about it.")
}
