package servers

import (
	"context"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/session/record/store"
	"mcptea/session/runs/compare"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/comparison"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Session is what the comparison of versions needs of a session.
type Session interface {
	Target() client.Target
	Config() session.Config
	Store() *store.Store
}

// Versions is the window that compares the versions of the protocol that the server
// speaks: it asks first, and then shows the progress and the result.
type Versions struct {
	app      app.App
	session  Session
	commands []keys.Command

	comparison *compare.Comparison // nil until the user has confirmed
	work       app.Work
	report     compare.Report
	tick       app.Tick
	window     doc.Scroll
}

// NewVersions returns the window.
func NewVersions(a app.App, s Session) *Versions {
	v := &Versions{app: a, session: s}
	asked := func() string { return keys.Reason(v.comparison == nil, "The comparison has not begun.") }
	v.commands = []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "compare", Help: "Connect with each protocol version", Footer: 10, Run: v.begin, Off: func() string { return keys.Reason(v.comparison != nil, "The versions are being compared.") }},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the comparison as text", Words: "clipboard", Footer: 12, Run: func() { v.app.Copy(v.text(), nil, "comparison") }, Off: asked},
	}
	return v
}

// CompareVersions opens the window.
func CompareVersions(a app.App, s Session) {
	a.Online("Compare versions", func() { a.Open(NewVersions(a, s)) })
}

// begin starts the comparison.
func (v *Versions) begin() {
	cfg := v.session.Config()
	if a := cfg.Authorization; a != nil {
		quiet := *a
		quiet.OpenBrowser = nil // no pane would show that consent is required
		cfg.Authorization = &quiet
	}
	work := compare.New(cfg, v.session.Store().Notify)
	v.comparison, v.report = work, work.Report()
	v.work.Start(v.app, func(ctx context.Context) func() {
		report := work.Run(ctx)
		return func() { v.report = report }
	})
}

// Close implements [app.Closer].
func (v *Versions) Close() { v.work.Stop() }

// Commands implements [app.Pane].
func (v *Versions) Commands() []keys.Command { return v.commands }

// Motion implements [app.Pane].
func (v *Versions) Motion(m keys.Motion) bool { return keys.Scroll(&v.window, m) }

// Refresh implements [app.Pane].
func (v *Versions) Refresh(t app.Tick) bool {
	v.tick = t
	if v.work.Busy() {
		v.report = v.comparison.Report()
	}
	return v.work.Busy()
}

// Size implements [app.Dialog].
func (v *Versions) Size(_ *app.Screen, w, h int) (int, int) {
	if v.comparison == nil {
		w = min(w-4, 74)
		return w, 4 + len(display.Wrap(compare.Warning(v.session.Target()), max(1, w-4)))
	}
	return min(w-2, 140), h - 2
}

// Paint implements [app.Pane]: the sentence, and the rows for which there is room.
func (v *Versions) Paint(c *app.Canvas, focused bool) {
	pal, w := c.Pal, max(1, c.W-4)
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: "Compare versions"}}, nil, focused)
	d := doc.On(in)
	if v.comparison == nil {
		d.Text(pal.Text, compare.Warning(v.session.Target()), 6)
		d.Gap()
		d.Keys(1, doc.Key{ID: "dialog.accept", Label: "compare"}, doc.Key{ID: "dialog.close", Label: "cancel"})
		d.Paint()
		return
	}
	d.Text(pal.TextBold, v.report.Sentence(), 4)
	d.Gap()
	d.Rest(1, func(c *app.Canvas) {
		_, c = c.Beside(1)
		v.window.Rows(c, v.rows(pal, w))
	})
	d.Paint()
	c.Note(dialog.Note(pal, c.Names.Name("dialog.close"), &v.window))
}

// rows are the versions, and what differs between them.
func (v *Versions) rows(pal *paint.Palette, w int) []string {
	rows := append(comparison.Runs(pal, v.report, w, v.tick.Now, v.tick.Spin), "")
	return append(rows, comparison.Steps(pal, v.report, w)...)
}

// copyWidth is that of a copied comparison.
const copyWidth = 100

// text is the comparison without colors.
func (v *Versions) text() string {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	rows := append([]string{v.report.Sentence(), ""}, v.rows(pal, copyWidth)...)
	for i := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(rows[i]), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}
