package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/session/compare"
	"mcptea/themes"
	"mcptea/ui/command"
	"mcptea/ui/comparison"
	"mcptea/ui/paint"
)

// compare opens the window, and starts the comparison once somebody is sure.
func (m *model) compare(a command.Compare) tea.Cmd {
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
		quiet.Browse = nil // nobody would see that a person is asked
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

// revisionsWindow asks whether to compare the revisions, and then shows how
// that goes and what came of it.
type revisionsWindow struct {
	target client.Target
	work   *compare.Comparison // nil until somebody is sure
	stop   context.CancelFunc

	report compare.Report
	now    time.Time
	spin   int
	all    bool

	scrolled
	table []string // as painted for this report and width
	of    painted
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
	var note string
	if o.work == nil {
		body = o.question(p, inner)
	} else {
		body, note = o.rows(p, inner, h-2), "esc closes and cancels"
		if o.report.Ended {
			note = "a shows all   y copies   esc closes"
			if o.all {
				note = "a shows what differs   y copies   esc closes"
			}
		}
		if o.lines > o.height {
			note = fmt.Sprintf("%d-%d of %d   %s", o.top+1, o.top+o.height, o.lines, note)
		}
	}
	for i := range body {
		body[i] = " " + body[i]
	}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Compare revisions"}}, []paint.Span{{Style: p.Muted, Text: note}}, body)
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
	r.Put(p.AccentBold, "enter")
	r.Put(p.Muted, " goes on   ")
	r.Put(p.AccentBold, "esc")
	r.Put(p.Muted, " closes")
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
	o.height, o.lines = max(0, h-len(rows)), len(o.table)
	o.clamp()
	return append(rows, o.table[o.top:min(o.lines, o.top+o.height)]...)
}

func (o *revisionsWindow) do(k tea.KeyPressMsg) (command.Action, bool) {
	if o.work == nil {
		if k.String() == "enter" {
			return command.Compare{Sure: true}, true
		}
		return nil, false
	}
	switch k.String() {
	case "y":
		return command.Copy{Text: o.text(), What: "comparison"}, true
	case "a":
		o.all = !o.all
		return nil, true
	}
	// The keys that move are those of everywhere.
	if c, ok := command.Lookup(command.Global, k.String()); ok {
		return nil, o.move(c.Name)
	}
	return nil, false
}

func (o *revisionsWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	switch k.String() {
	case "esc", "ctrl+c", "q":
		return nil, true
	}
	return nil, false
}

// copyWidth is that of a copied comparison.
const copyWidth = 100

// text is the comparison without colours, to be pasted elsewhere.
func (o *revisionsWindow) text() string {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	rows := []string{comparison.Sentence(o.report), "", comparison.Heading(pal, o.report, copyWidth)}
	rows = append(rows, comparison.Table(pal, o.report, copyWidth, o.all)...)
	for i := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(rows[i]), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}
