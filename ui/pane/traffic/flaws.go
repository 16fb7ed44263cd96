package traffic

import (
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// flaw returns the severity and the rule of a finding, for a row.
func flaw(pal *paint.Palette, f *lint.Finding) string {
	return app.SeveritySign(pal, f.Severity) + " " + f.Rule.ID
}

// flaws returns the most severe of n findings, and the number of others.
func flaws(pal *paint.Palette, worst *lint.Finding, n int) string {
	if n > 1 {
		return flaw(pal, worst) + " +" + phrase.Digits(n-1)
	}
	return flaw(pal, worst)
}

// ruleName writes the name of the rule of a finding before its id at a column, if the row has room. f may be
// nil.
func (p *Pane) ruleName(r *paint.Row, pal *paint.Palette, f *lint.Finding, at int) {
	const gap = 3
	if f == nil {
		return
	}
	if from := at - display.Width(f.Rule.Slug) - 1; r.Used()+gap <= from {
		r.To(from)
		r.Put(pal.Muted, f.Rule.Slug)
	}
}

const malformed = "malformed"

// mark returns the most severe mark of the store on a row.
func mark(pal *paint.Palette, row *store.Row) (string, paint.Style) {
	for _, m := range marks {
		if row.Flags&m.flag != 0 {
			if m.flag == store.DuplicateID && row.Dir == transport.Out && row.Exchange != 0 {
				return "retry", pal.Muted // the exchange of the request failed; otherwise J011 reports it
			}
			if m.flag == store.Abandoned && row.Exchange != 0 {
				return "no JSON-RPC response", pal.Error // the HTTP response, if there is one, has a separate row
			}
			if m.grave {
				return m.text, pal.Error
			}
			return m.text, pal.Warn
		}
	}
	if texts := row.Flaws.Texts(); len(texts) > 0 && !(row.App && row.IsEvent()) {
		return malformed, pal.Warn
	}
	return "", pal.Muted
}

var marks = []struct {
	flag  store.Flags
	text  string
	grave bool
}{
	{store.UnknownID, "unknown id", true},
	{store.DuplicateResponse, "2nd response", true},
	{store.NoID, "no id", true},
	{store.DuplicateID, "id reused", true},
	{store.Late, "late", false},
	{store.Torn, "cut off", true},
	{store.Abandoned, "no response", true},
	{store.OddEnding, "CRLF", false},
}
