package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/session/compare"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/comparison"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/widget/viewport"
)

// compare opens the window, and starts the comparison when the user confirms it.
func (m *model) compare(a action.Compare) tea.Cmd {
	if !a.Sure {
		m.overlay = &revisionsWindow{target: m.session.Target()}
		return nil
	}
	w, ok := m.overlay.(*revisionsWindow)
	if !ok || w.work != nil {
		return nil
	}
	cfg := m.session.Config()
	if a := cfg.Authorization; a != nil {
		quiet := *a
		quiet.OpenBrowser = nil // no pane would show that consent is required
		cfg.Authorization = &quiet
	}
	ctx, stop := context.WithCancel(m.ctx)
	w.work, w.stop = compare.New(cfg, m.session.Store().Notify), stop
	w.report, w.now = w.work.Report(), m.now
	work := w.work
	m.working.Add(1)
	return func() tea.Msg {
		defer m.working.Done()
		defer stop()
		work.Run(ctx)
		return nil
	}
}

// revisionsWindow asks whether to compare the revisions, and then shows the
// progress and the result.
type revisionsWindow struct {
	target client.Target
	work   *compare.Comparison // nil until the user has confirmed
	stop   context.CancelFunc

	report compare.Report
	now    time.Time
	spin   int
	all    bool

	window viewport.Viewport
	table  []string // as painted for this report and width
	of     painted
}

// painted is what a table depends on.
type painted struct {
	pal             *paint.Palette
	w               int
	spoken, columns int
	ended, all      bool
}

func (o *revisionsWindow) refresh(now time.Time, spin int) bool {
	o.now, o.spin = now, spin
	if o.work == nil || o.report.Ended {
		return false
	}
	o.report = o.work.Report()
	return true
}

func (o *revisionsWindow) close() {
	if o.stop != nil {
		o.stop()
	}
}

func (o *revisionsWindow) size(w, h int) (int, int) {
	if o.work == nil {
		w = min(w-4, 74)
		return w, 4 + len(paint.Wrap(comparison.Warning(o.target), max(1, w-4)))
	}
	return min(w-2, 140), h - 2
}

func (o *revisionsWindow) cursor() (x, y int, ok bool) { return 0, 0, false }

func (o *revisionsWindow) paint(p *paint.Palette, w, h int) []string {
	inner := max(1, w-4)
	var body []string
	var note []paint.Span
	if o.work == nil {
		body = o.question(p, inner)
	} else {
		body = o.rows(p, inner, h-2)
		note = dialog.Note(p, command.KeyOf(command.Dismiss), &o.window, o.hints(p)...)
	}
	for i := range body {
		body[i] = " " + body[i]
	}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Compare versions"}}, note, body)
}

func (o *revisionsWindow) question(p *paint.Palette, w int) []string {
	var rows []string
	var r paint.Row
	for _, text := range paint.Wrap(comparison.Warning(o.target), w) {
		r.Start(w, paint.Style{})
		r.Put(p.Text, text)
		rows = append(rows, r.String())
	}
	r.Start(w, paint.Style{})
	r.Put(p.AccentBold, command.KeyIn(command.Dialog, command.Accept, true))
	r.Put(p.Muted, " compare   ")
	r.Put(p.AccentBold, command.KeyOf(command.Dismiss))
	r.Put(p.Muted, " cancel")
	return append(rows, "", r.String())
}

// rows are the sentence, the runs while they go on, and as much of the table
// as there is room for.
func (o *revisionsWindow) rows(p *paint.Palette, w, h int) []string {
	var rows []string
	var r paint.Row
	for _, text := range paint.Wrap(comparison.Sentence(o.report), w) {
		r.Start(w, paint.Style{})
		r.Put(p.TextBold, text)
		rows = append(rows, r.String())
	}
	rows = append(rows, "")
	if !o.report.Ended {
		rows = append(append(rows, comparison.Runs(p, o.report, w, o.now, o.spin)...), "")
	}
	if len(o.report.Table.Revisions) > 0 {
		rows = append(rows, comparison.Heading(p, o.report, w))
	}
	of := painted{p, w, len(o.report.Spoken()), len(o.report.Table.Revisions), o.report.Ended, o.all}
	if o.of != of {
		o.of, o.table = of, comparison.Table(p, o.report, w, o.all)
	}
	return append(rows, o.window.Rows(o.table, w, max(0, h-len(rows)))...)
}

// hints name the keys of a comparison that has ended.
func (o *revisionsWindow) hints(p *paint.Palette) (spans []paint.Span) {
	if !o.report.Ended {
		return nil
	}
	label := " all   "
	if o.all {
		label = " differences   "
	}
	for _, h := range []struct {
		id    command.ID
		label string
	}{{command.ToggleAll, label}, {command.CopyComparison, " copy   "}} {
		spans = append(spans, paint.Span{Style: p.AccentBold, Text: command.KeyOf(h.id)}, paint.Span{Style: p.Muted, Text: h.label})
	}
	return spans
}

func (o *revisionsWindow) scroll(n int) { o.window.Move(n) }

func (o *revisionsWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	if o.work == nil {
		if c, _ := command.Lookup(command.Dialog, k.String()); c.ID == command.Accept {
			return action.Compare{Sure: true}, true
		}
		return nil, false
	}
	c, _ := command.Lookup(command.Comparison, k.String())
	switch c.ID {
	case command.CopyComparison:
		return action.Copy{Text: o.text(), What: "comparison"}, true
	case command.ToggleAll:
		o.all = !o.all
		return nil, true
	}
	return nil, command.ApplyScroll(&o.window, c.ID)
}

func (o *revisionsWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Comparison, k.String())
	return nil, c.ID == command.Back || c.ID == command.Interrupt || c.ID == command.Quit
}

// copyWidth is that of a copied comparison.
const copyWidth = 100

// text is the comparison without colors.
func (o *revisionsWindow) text() string {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	rows := []string{comparison.Sentence(o.report), "", comparison.Heading(pal, o.report, copyWidth)}
	rows = append(rows, comparison.Table(pal, o.report, copyWidth, o.all)...)
	for i := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(rows[i]), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}
