package ui

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/client/transport"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/frames"
	"mcptea/ui/graphics"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/terminal"
)

// title implements [screen].
func (m *model) title() string {
	if name := m.state.Handshake.Server.Name; name != "" {
		return "mcptea " + paint.Cut(paint.Sanitize(name), 40)
	}
	return "mcptea"
}

// settle implements [screen]: the detail shows the frame that is selected now.
func (m *model) settle() { m.showSelected() }

func (m *model) relayout() {
	a := arrangement{w: m.w, h: m.h, focus: m.focus, zoom: m.zoom, tall: m.tabs[m.activeTab].tall, whole: m.tabs[m.activeTab].ID == tabProblems && m.h <= wholeTab, detail: m.frameOpen, pending: len(m.slowRequests()) + len(m.longTasks())}
	a.view = m.wire.view != frames.List
	if m.activeTab == 0 && m.state.Phase == session.Failed {
		a.page = m.server.Height(&m.painted, m.w)
	}
	if m.list() != nil {
		a.pins = m.pinned.Height()
	}
	if m.composerOpen {
		a.composer = m.composer.Height()
	}
	m.layout = arrange(a)
}

// paint implements [screen].
func (m *model) paint(c *app.Canvas) []string {
	m.relayout()
	rows := append(make([]string, 0, m.h), m.header(), m.tabRow())
	c.Click(0, 1, m.w, 1, func(x, _ int) { m.clickTab(x) })
	return append(rows, m.body(c)...)
}

// body paints the panes between the tabs and the last row.
func (m *model) body(c *app.Canvas) []string {
	l := m.layout
	var rows []string
	if !l.tab.empty() {
		rows = append(rows, m.show(c, m.tabs[m.activeTab].pane, l.tab, partTab)...)
	}
	if !l.pins.empty() {
		rows = append(rows, m.show(c, m.pinned, l.pins, partPins)...)
	}
	switch {
	case !l.traffic.empty() && !l.detail.empty():
		left := m.show(c, m.wire.traffic, l.traffic, partTraffic)
		right := m.show(c, m.wire.detail, l.detail, partDetail)
		rows = append(rows, paint.JoinSide(left, right)...)
	case !l.traffic.empty():
		rows = append(rows, m.show(c, m.wirePane(), l.traffic, partTraffic)...)
	case !l.detail.empty():
		at := partDetail
		if m.detailOnly() {
			at = m.focus
		}
		rows = append(rows, m.show(c, m.wire.detail, l.detail, at)...)
	}
	if !l.pending.empty() {
		rows = append(rows, m.pendingRows(l.pending)...)
	}
	if !l.composer.empty() {
		rows = append(rows, m.show(c, m.composer, l.composer, partComposer)...)
	}
	return rows
}

// show paints a pane into its rectangle.
func (m *model) show(c *app.Canvas, p app.Pane, at rect, as part) []string {
	return c.Show(p, at.x, at.y, at.w, at.h, m.focus == as && m.window() == nil)
}

// tooSmall is the screen where there is no room.
func tooSmall(w, h int, quit string) []string {
	rows := make([]string, h)
	for i := range rows {
		rows[i] = paint.Pad("", w)
	}
	text := fmt.Sprintf("This window is too small: mcptea needs %d columns and %d rows. %s quits.", minWidth, minHeight, quit)
	for i, line := range paint.Wrap(text, max(1, w)) {
		if i < h {
			rows[i] = paint.Pad(line, w)
		}
	}
	return rows
}

// leastName is what the name of the server keeps of the header before other parts of it
// are left out, in cells.
const leastName = 10

// header is the first row: the server and the state of the connection. The state is in it
// at every width: what a server calls itself gets what the rest leaves.
func (m *model) header() string {
	p := m.pal
	var r paint.Row
	r.Start(m.w, p.Header)
	wide := m.w >= wideWidth
	state, counts := m.phase(), m.counts(wide)
	var details []paint.Span
	if len(state) > 1 {
		state, details = state[:1], state[1:]
	}
	for len(counts) > 0 && paint.SpansWidth(state)+paint.SpansWidth(counts)+3 > m.w {
		counts = counts[1:]
	}
	room := m.w - 2 - paint.SpansWidth(counts) - paint.SpansWidth(state)
	fits := func(cells int) bool {
		if cells > room {
			return false
		}
		room -= cells
		return true
	}
	name := paint.Sanitize(m.serverName())
	rev := string(m.state.Handshake.Revision)
	if !wide && len(rev) == 10 {
		rev = rev[2:]
	}
	rev, over := paint.Sanitize(rev), m.session.Transport()
	least := min(paint.Width(name), leastName)
	named := fits(least + 2)
	program := fits(len("mcptea") + 2)
	if over == "" || !fits(paint.Width(over)+2) {
		over = ""
	}
	if rev == "" || !fits(paint.Width(rev)+2) {
		rev = ""
	}
	for len(details) > 0 && !fits(paint.SpansWidth(details)) {
		details = details[:len(details)-1]
	}
	r.Right(counts...)
	r.Gap(1)
	part := func(on bool, st paint.Style, text string) {
		if on {
			r.Put(st, text)
			r.Gap(2)
		}
	}
	part(program, p.AccentBold, "mcptea")
	part(named, p.Strong, p.Cut(name, least+max(0, room)))
	part(over != "", p.Muted, over)
	part(rev != "", p.Muted, rev)
	r.Spans(state...)
	r.Spans(details...)
	return r.String()
}

// serverName is what the server calls itself, or its target. It is untrusted text.
func (m *model) serverName() string {
	if h := m.state.Handshake; h.Server.Name != "" {
		return h.Server.String()
	}
	target := m.session.Target()
	return paint.Cut(paint.Sanitize(target.String()), max(10, m.w/3))
}

func (m *model) phase() []paint.Span {
	p := m.pal
	if rec, ok := m.session.Recording(); ok {
		return m.recordingSpans(&rec)
	}
	took := paint.HumanDuration(m.state.Took)
	switch m.state.Phase {
	case session.Ready:
		spans := []paint.Span{{Style: p.OK, Text: p.Dot + " connected"}}
		if n := len(m.state.Restarts); n > 0 && m.w >= wideWidth {
			spans = append(spans, paint.Span{Style: p.Muted, Text: " " + diff.RestartName(m.state.Restarts[n-1].Number) + ", " + took})
		} else if m.w >= wideWidth {
			spans = append(spans, paint.Span{Style: p.Muted, Text: " in " + took})
		}
		if name := m.branchName(); name != "" && m.w >= wideWidth {
			spans = append(spans, paint.Span{Style: p.Accent, Text: "  " + paint.Cut(paint.Sanitize(name), m.w/3)})
		}
		if m.state.Subscription.Err != nil {
			spans = append(spans, paint.Span{Style: p.Warn, Text: "  no subscription"})
		}
		return spans
	case session.Failed:
		if m.state.Reconnects {
			return []paint.Span{{Style: p.Error, Text: p.FailMark + " not connected"}, {Style: p.Muted, Text: "  reconnecting"}}
		}
		return []paint.Span{{Style: p.Error, Text: p.FailMark + " not connected"}, {Style: p.Muted, Text: "  " + took}}
	case session.Ended:
		if m.state.Reconnects {
			return []paint.Span{{Style: p.Error, Text: p.FailMark + " ended"}, {Style: p.Muted, Text: "  reconnecting"}}
		}
		return []paint.Span{{Style: p.Error, Text: p.FailMark + " ended"}, {Style: p.Muted, Text: "  " + m.Name("restart") + " restart"}}
	case session.Connecting:
		return []paint.Span{{Style: p.Warn, Text: paint.Spinner(p, m.tick.Spin) + " connecting  " + paint.HumanDuration(max(0, m.tick.Now.Sub(m.state.Started)))}}
	}
	return nil
}

// counts are the totals at the right of the header.
func (m *model) counts(wide bool) []paint.Span {
	p := m.pal
	var spans []paint.Span
	add := func(st paint.Style, text string) { spans = append(spans, paint.Span{Style: st, Text: text}) }
	spans = append(spans, m.reloadSpans(wide)...)
	if wide && !m.restartWaits() {
		add(p.Out, p.Up+" "+paint.HumanCount(m.snap.Out))
		add(p.In, " "+p.Down+" "+paint.HumanCount(m.snap.In)+"  ")
	}
	if n := m.intercept.Waiting(); n > 0 {
		text := " held  "
		if !wide {
			text = "  "
		}
		add(p.WarnBold, p.Pause+" "+paint.HumanCount(n)+text)
	}
	if shared := m.options.Sharing; shared != nil && shared.Agents() > 0 {
		if _, asks := shared.Next(); asks {
			add(p.AskedBold, "agent asks  ")
		} else {
			add(p.Asked, "agent  ")
		}
	}
	asking := 0
	for i := range m.pending {
		if m.pending[i].Dir == transport.In {
			asking++
		}
	}
	switch n := m.snap.Pending; {
	case n == 0:
	case !wide:
		add(p.Warn, paint.HumanCount(n)+" "+m.tick.Waits(p)+" ")
	default:
		add(p.Warn, paint.HumanCount(n)+" pending")
		if _, recorded := m.session.Recording(); asking > 0 && recorded {
			add(p.Asked, ", "+paint.HumanCount(asking)+" of the server")
		} else if asking > 0 {
			add(p.Asked, ", "+paint.HumanCount(asking)+" for you")
		}
		add(p.Warn, "  ")
	}
	if second := m.second.Session(); second != nil && wide {
		add(p.Muted, "B ")
		add(p.Text, paint.Cut(paint.Sanitize(second.State().Handshake.Server.String()), 24)+"  ")
	}
	if passed, failed := m.pinned.Counts(); m.state.Phase == session.Ready && passed+failed > 0 && (wide || failed > 0) {
		add(p.Muted, "pins ")
		if wide {
			add(p.OK, fmt.Sprintf("%s %d ", p.OKMark, passed))
		}
		if failed > 0 {
			add(p.Error, fmt.Sprintf("%s %d ", p.FailMark, failed))
		}
		add(p.Muted, " ")
	}
	if n := len(m.tasks.Running()); n > 0 && wide {
		text := " tasks  "
		if n == 1 {
			text = " task  "
		}
		add(p.Warn, paint.HumanCount(n)+text)
	}
	if n, worst := m.problems.Total(); n > 0 {
		add(severity.Style(p, worst), p.WarnMark+" "+paint.HumanCount(n)+"  ")
	}
	if rec, ok := m.session.Recording(); ok {
		return append(spans, recordingState(p, &rec)...)
	}
	switch {
	case errors.As(m.session.Store().Failure(), new(*store.LimitError)):
		add(p.Warn, "recording stopped ")
	case m.session.Store().Failure() != nil:
		add(p.ErrorBold, "recording failed ")
	case m.session.Store().Path() == "":
		add(p.Muted, p.Ring+" not recorded ")
	default:
		add(p.Muted, p.Dot+" rec ")
	}
	return spans
}

// terminalProgress shows the newest call with a known total in the terminal's
// own progress bar, where it has one.
func (m *model) terminalProgress() *tea.ProgressBar {
	for i := len(m.pending) - 1; i >= 0; i-- {
		if f := m.pending[i]; f.HasTotal && f.Total > 0 {
			return progressBar(f.Progress, f.Total)
		}
	}
	for _, t := range m.tasks.Running() {
		if t.HasTotal && t.Total > 0 {
			return progressBar(t.Progress, t.Total)
		}
	}
	return nil
}

func progressBar(done, total float64) *tea.ProgressBar {
	return tea.NewProgressBar(tea.ProgressBarDefault, int(100*min(1, max(0, done/total))))
}

// slowAfter is how long a request may take without being shown in the strip:
// quick ones would only make the screen jump.
const slowAfter = 300 * time.Millisecond

// slowRequests are the requests that the strip shows, newest first.
func (m *model) slowRequests() []store.Flow {
	var found []store.Flow
	for i := len(m.pending) - 1; i >= 0; i-- {
		if f := m.pending[i]; m.clock.Sub(f.Start) >= slowAfter && !isTaskPoll(f) {
			found = append(found, f)
		}
	}
	return found
}

// appearance is how a screen is painted: the theme, and what the terminal has said
// about itself.
type appearance struct {
	pal         *paint.Palette
	js          paint.JSONStyles
	dark        bool
	colors      int              // how many the terminal has
	chosenTheme string           // chosen while running
	pictures    *graphics.Screen // nil without graphics
	source      bool             // Markdown is shown as its source
}

// newAppearance is that of a dark terminal with so many colors.
func newAppearance(colors int) appearance {
	return appearance{dark: true, colors: cmp.Or(colors, 1<<24)}
}

// load loads the theme: the one chosen while running, the one asked for, or the one
// that fits the terminal. NO_COLOR (no-color.org) means none of the colors.
func (a *appearance) load(o *Options) {
	name := o.Theme
	if name == "" && os.Getenv("NO_COLOR") != "" {
		name = "monochrome"
	}
	if a.chosenTheme != "" {
		name = a.chosenTheme
	}
	theme, err := o.Themes.Load(name, a.dark)
	if err != nil { // a file was changed while the program runs
		theme = themes.ForBackground(a.dark)
	}
	theme = theme.On(a.dark).Limit(a.colors)
	a.pal = paint.NewPalette(theme, o.ASCII)
	a.pal.Source = a.source
	if a.pictures != nil && a.colors == 1<<24 && !o.ASCII {
		a.pal.Pictures = a.pictures
	}
	a.js = paint.NewJSONStyles(theme)
}

// nextTheme uses the next theme and returns its name.
func (a *appearance) nextTheme(o *Options) string {
	names := o.Themes.For(a.dark)
	at := 0
	for i, n := range names {
		if n == a.pal.Theme.Name {
			at = i
		}
	}
	a.chosenTheme = names[(at+1)%len(names)]
	a.load(o)
	return a.chosenTheme
}

// reported takes note of what the terminal says about itself: its background, its
// number of colors, and how it measures text: by whole graphemes once it has said that it
// does.
func (a *appearance) reported(msg tea.Msg, o *Options) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		if msg.IsDark() == a.dark {
			return
		}
		a.dark = !a.dark
	case tea.ColorProfileMsg:
		colors := terminal.CountColors(msg.Profile)
		if colors == a.colors {
			return
		}
		a.colors = colors
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore {
			paint.UseGraphemes(terminal.HasGraphemes(msg))
		}
		return
	}
	a.load(o)
}
