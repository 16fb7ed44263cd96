package browse

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"mcptea/check/modelview"
	"mcptea/internal/words/display"
	"mcptea/lint"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A ModelView is a dialog that shows the tools as a host presents them to a model.
type ModelView struct {
	app      app.App
	commands []keys.Command

	server modelview.Server
	host   int // index in [modelview.Hosts]
	all    bool

	work   app.Work
	report *modelview.Report // nil until built
	scroll doc.Scroll
}

// hosts holds search words for the command that opens the dialog.
var hosts = strings.Join(modelview.IDs, " ")

// NewModelView returns a dialog for the tools of a server.
func NewModelView(a app.App, server modelview.Server) *ModelView {
	v := &ModelView{app: a, server: server}
	v.commands = []keys.Command{
		{ID: "view.shown", Verb: keys.NextView, Keys: keys.On("right"), Label: "next host", Help: "Show the tools as the next host hands them to a model", Words: hosts, Footer: 10, Run: func() { v.show(1) }},
		{ID: "model.before", Keys: keys.On("left"), Label: "previous host", Help: "Show the tools as the previous host hands them to a model", Footer: 11, Run: func() { v.show(-1) }},
		{ID: "model.all", Keys: keys.On("space"), Label: "facts", Help: "Show the facts about the host and the definitions as it sends them, or hide them", Words: "json schema source", Footer: 11, Run: func() { v.all = !v.all }},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the definitions as the host sends them", Words: "clipboard json", Footer: 12, Run: v.copy, Off: func() string {
			return keys.Reason(v.report == nil, "The tools are being rewritten.")
		}},
	}
	return v
}

// asModel opens the dialog.
func (p *Pane) asModel() {
	tools := make([][]byte, 0, len(p.lines))
	for _, it := range p.tick.State.Lists["tools"].Items {
		tools = append(tools, it.Raw)
	}
	h := p.tick.State.Handshake
	v := NewModelView(p.app, modelview.Server{Name: h.Server.Name, Instructions: h.Instructions, Initialize: h.InitializeResult(), Tools: tools})
	p.app.Open(v)
	as, _ := p.s.As()
	v.show(hostOf(as))
}

// hostOf returns the index of the host that a session impersonates, as in "Cursor 3.20", or 0 if there is none.
func hostOf(as string) (at int) {
	longest := ""
	for i, h := range modelview.Hosts() {
		if strings.HasPrefix(as, h.Name) && len(h.Name) > len(longest) {
			at, longest = i, h.Name
		}
	}
	return at
}

// show rewrites the tools for the host step places from the current one.
func (v *ModelView) show(step int) {
	all := modelview.Hosts()
	v.host = (v.host + step + len(all)) % len(all)
	h, server := all[v.host], v.server
	v.work.Start(v.app, func(context.Context) func() {
		r := modelview.Build(h, server)
		return func() { v.report, v.scroll = &r, doc.Scroll{} }
	})
}

// copy copies all definitions as one JSON array.
func (v *ModelView) copy() {
	var all [][]byte
	for i := range v.report.Tools {
		if t := &v.report.Tools[i]; !t.LeftOut {
			all = append(all, t.Definition)
		}
	}
	text := "[" + string(bytes.Join(all, []byte(",\n"))) + "]\n"
	v.app.Copy(text, nil, "definitions")
}

// Close implements [app.Closer].
func (v *ModelView) Close() { v.work.Stop() }

// Commands implements [app.Pane].
func (v *ModelView) Commands() []keys.Command { return v.commands }

// Motion implements [app.Pane].
func (v *ModelView) Motion(m keys.Motion) bool { return keys.Scroll(&v.scroll, m) }

// Refresh implements [app.Pane].
func (v *ModelView) Refresh(app.Tick) bool { return v.work.Busy() }

// Size implements [app.Dialog].
func (*ModelView) Size(_ *app.Screen, w, h int) (int, int) { return min(w-2, 120), h - 2 }

// Paint implements [app.Pane].
func (v *ModelView) Paint(c *app.Canvas, focused bool) {
	pal, h := c.Pal, modelview.Hosts()[v.host]
	if v.report != nil {
		h = v.report.Host // the previous host, until the new report is ready
	}
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: "Tools as a model sees them: "}, {Style: pal.AccentBold, Text: h.ID}}, []paint.Span{{Style: pal.Muted, Text: "host " + strconv.Itoa(v.host+1) + " of " + strconv.Itoa(len(modelview.Hosts()))}}, focused)
	d := doc.On(in)
	if v.report == nil {
		d.Text(pal.Muted, "The tools are being rewritten.", 1)
		d.Paint()
		return
	}
	v.compose(d)
	v.scroll.Paint(d)
	c.Note(dialog.Note(pal, c.Names.Name("dialog.close"), &v.scroll))
}

// maxDefinitions bounds the definitions shown, in bytes. The copy command copies all of them.
const maxDefinitions = 128 << 10

// facts adds the facts about the host, before the tools, so that they are visible without scrolling.
func (v *ModelView) facts(d *doc.Doc) {
	d.Rule(paint.Span{Style: d.Pal.TextBold, Text: "facts"})
	for i := range v.report.Host.Facts {
		f := &v.report.Host.Facts[i]
		d.Text(d.Pal.Text, f.Says, doc.All)
		d.Text(d.Pal.Muted, f.Basis(), doc.All)
	}
	d.Rule(paint.Span{Style: d.Pal.TextBold, Text: "tools"})
}

// compose adds the summary, the errors, the tools and the other problems. If v.all is set, it adds the facts
// and the definitions too.
func (v *ModelView) compose(d *doc.Doc) {
	pal, r := d.Pal, v.report
	d.Text(pal.TextBold, r.Sentence(), doc.All)
	rest := r.Problems
	for len(rest) > 0 && rest[0].Severity() == lint.Error {
		problemRows(d, &rest[0])
		rest = rest[1:]
	}
	d.Blank()
	if v.all {
		v.facts(d)
	}
	name := 4
	for i := range r.Tools {
		name = max(name, min(display.Width(display.Sanitize(r.Tools[i].Name)), d.W/2))
	}
	if len(r.Tools) > 0 {
		d.Lines(1, func(row *paint.Row, _ int) {
			v.columns(row, pal.Muted, "tool", "tokens", "share", name)
			if row.Gap(2); r.Host.Prefix != "" {
				row.Put(pal.Muted, "name for the model")
			}
		})
	}
	d.Lines(len(r.Tools), func(row *paint.Row, i int) { v.toolRow(row, pal, &r.Tools[i], name) })
	for i := range rest {
		problemRows(d, &rest[i])
	}
	d.Blank()
	if !v.all {
		d.Keys(2, doc.Key{ID: "view.shown", Label: "next host"}, doc.Key{ID: "model.all", Label: "all " + strconv.Itoa(len(r.Host.Facts)) + " facts"}, doc.Key{ID: "copy", Label: "copy"})
		return
	}
	d.Rule(paint.Span{Style: pal.TextBold, Text: "definitions"})
	left := maxDefinitions
	for i := range r.Tools {
		text := r.Tools[i].Definition
		if left -= len(text); left < 0 {
			d.Text(pal.Warn, strconv.Itoa(len(r.Tools)-i)+" more; "+d.Names.Name("copy")+" copies all", 1)
			return
		}
		d.Text(pal.Text, string(text), doc.All)
		d.Blank()
	}
}

// toolRow writes one tool: the severity of its worst problem, its name and its cost.
func (v *ModelView) toolRow(row *paint.Row, pal *paint.Palette, t *modelview.Tool, name int) {
	if t.Concerned {
		row.Put(app.SeverityBold(pal, t.Severity), app.SeveritySign(pal, t.Severity))
	}
	v.columns(row, pal.Text, t.Name, t.Tokens(), strconv.Itoa(v.report.Share(t))+"%", name)
	row.Gap(2)
	if t.LeftOut {
		row.Put(app.SeverityStyle(pal, t.Severity), "left out")
	} else if t.Sent != t.Name {
		row.Put(pal.Muted, t.Sent)
	}
}

// columns writes the columns that tool rows share with their heading.
func (*ModelView) columns(row *paint.Row, st paint.Style, tool, tokens, share string, name int) {
	row.To(3)
	row.Cell(st, tool, name)
	row.Gap(2)
	row.CellRight(st, tokens, 13)
	row.CellRight(st, share, 7)
}

// problemRows adds a problem: the statement, the places, the remedy and the evidence.
func problemRows(d *doc.Doc, p *modelview.Problem) {
	pal, level := d.Pal, p.Severity()
	d.Blank()
	d.Sign(paint.Span{Style: app.SeverityBold(pal, level), Text: app.SeveritySign(pal, level) + " "}, pal.Text, p.Says, doc.All)
	label := "where"
	for _, line := range p.Shown() {
		d.FactText(label, pal.Text, line, doc.All)
		label = ""
	}
	d.FactText("change", pal.Text, p.Change, doc.All)
	d.FactText("known", pal.Muted, p.Basis(), doc.All)
}
