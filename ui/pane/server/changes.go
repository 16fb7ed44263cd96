package server

import (
	"mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// changes adds how the server describes itself otherwise than the user has seen it.
func (p *Pane) changes(d *doc.Doc) {
	c := p.st.Changes
	if c == nil || len(c.Server) == 0 {
		return
	}
	d.Row(paint.Span{Style: d.Pal.WarnBold, Text: "~ "}, paint.Span{Style: d.Pal.Warn, Text: "changed by " + diff.RestartName(c.ServerRestart)},
		paint.Span{Style: d.Pal.AccentBold, Text: "   " + p.app.Key("change.see")}, paint.Span{Style: d.Pal.Muted, Text: " mark seen"})
	diff.Changes(d, doc.All, c.ServerGroups(), nil)
	d.Blank()
}
