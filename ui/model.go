package ui

import (
	"context"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"mcptea/session"
	"mcptea/session/commandline"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/logs"
	"mcptea/ui/pane/problems"
	"mcptea/ui/pane/server"
	"mcptea/ui/pane/tasks"
	"mcptea/ui/pane/traffic"
)

// Options are the choices of the person who started the program.
type Options struct {
	Theme   string // a theme's name; empty follows the terminal's background
	ASCII   bool   // no character outside of ASCII in the program's own signs
	Version string
	// Flags say how the session reaches the server; they go into the commands
	// that are copied.
	Flags []commandline.Flag
	// MuteAlways mutes a rule in every session to come, or no longer, and says
	// in which file that now stands. It is called from a goroutine of its own;
	// nil when there is no such thing.
	MuteAlways func(rule string, on bool) (string, error)
}

// region is a part of the screen that takes keys and paints itself.
type region interface {
	Context() command.Context
	// Typing reports whether keys are text here; they then go to Type first,
	// which reports whether it took them.
	Typing() bool
	Type(k tea.KeyPressMsg) (action.Action, bool)
	Paste(text string)
	Do(name command.ID) action.Action
	Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string
	Cursor() (x, y int, ok bool)
}

// tab is what stands behind one of the numbers.
type tab struct {
	name, short string
	command     command.ID
	tall        bool // one to read, which takes more of the screen
	pane        tabPane
}

type tabPane interface {
	region
	Refresh(st session.State, flights []store.Flight, now time.Time, spin int)
	Click(x, y int) action.Action
	Scroll(x, y, n int)
	Busy() bool
	Badge() string
}

// model is the whole program, as Bubble Tea sees it.
type model struct {
	ctx     context.Context
	session *session.Session
	options Options

	pal     *paint.Palette
	js      paint.JSONStyles
	dark    bool
	colours int    // how many the terminal has
	themed  string // the theme that was chosen while running

	w, h   int
	layout layout
	focus  action.Region
	zoom   bool
	large  bool // a frame is shown large
	open   bool // the composer is open
	last   action.Region
	moved  bool // the person has gone somewhere; the program no longer does
	midway bool // the last key was text: somebody is typing

	tabs     []tab
	at       int // the tab on show
	server   *server.Pane
	inbox    *inbox.Pane
	tasks    *tasks.Pane
	problems *problems.Pane
	traffic  *traffic.Pane
	detail   *detail.Pane
	composer *composer.Pane

	state   session.State
	snap    store.Snapshot
	flights []store.Flight
	now     time.Time
	spin    int
	wake    <-chan struct{}
	pace    time.Duration // between two looks at the store

	asked   time.Time // when the page came up that somebody was last told of
	renewed int       // the attempt to connect whose new session was announced

	overlay overlay
	working sync.WaitGroup // what overlays have started
	flash   action.Flash
	flashed time.Time

	dirty  bool
	view   string
	cursor *tea.Cursor
}

func newModel(ctx context.Context, s *session.Session, o Options) (*model, func()) {
	wake, stop := s.Store().Subscribe()
	m := &model{
		ctx: ctx, session: s, options: o, dark: true, colours: 1 << 24, dirty: true, wake: wake,
		server: server.New(s), inbox: inbox.New(s), tasks: tasks.New(s), problems: problems.New(s),
		traffic: traffic.New(s.Store(), s), detail: detail.New(s), composer: composer.New(s),
	}
	m.tabs = []tab{
		{"Server", "Srv", command.TabServer, true, m.server},
		{"Tools", "Tools", command.TabTools, false, browse.New(s, "tools", o.Flags...)},
		{"Resources", "Res", command.TabResources, false, browse.New(s, "resources", o.Flags...)},
		{"Prompts", "Prompts", command.TabPrompts, false, browse.New(s, "prompts", o.Flags...)},
		{"Inbox", "Inbox", command.TabInbox, true, m.inbox},
		{"Logs", "Logs", command.TabLogs, false, logs.New(s)},
		{"Tasks", "Tasks", command.TabTasks, true, m.tasks},
		{"Problems", "Prob", command.TabProblems, true, m.problems},
	}
	m.chooseTheme()
	return m, stop
}

// chooseTheme loads the theme: the one chosen while running, the one asked
// for, or the one that fits the terminal. NO_COLOR (no-color.org) means none of
// the colours.
func (m *model) chooseTheme() {
	theme := themes.ForBackground(m.dark)
	name := m.options.Theme
	if name == "" && os.Getenv("NO_COLOR") != "" {
		name = "monochrome"
	}
	if m.themed != "" {
		name = m.themed
	}
	if name != "" {
		if t, err := themes.Load(name); err == nil {
			theme = t
		}
	}
	m.pal = paint.NewPalette(theme.For(m.colours), m.options.ASCII)
	m.js = paint.NewJSONStyles(theme)
	m.dirty = true
}

// Init starts to connect and to watch.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.connect(false), m.waitForNews(false, false, false), tea.RequestBackgroundColor)
}

// connectedMsg says that connecting came to its end, one way or the other.
type connectedMsg struct{}

func (m *model) connect(again bool) tea.Cmd {
	return func() tea.Msg {
		// The outcome is in the state.
		if again {
			_ = m.session.Restart(m.ctx)
		} else {
			_ = m.session.Connect(m.ctx)
		}
		return connectedMsg{}
	}
}

// newsMsg says that there is news, and what time it is.
type newsMsg struct{ now time.Time }

// The shortest time between two looks at the store, and how often a running
// clock moves.
const (
	period = 33 * time.Millisecond
	// busyPeriod is that while more comes in than anybody can read, from
	// flood new frames in a period on.
	busyPeriod = 60 * time.Millisecond
	flood      = 500
	beat       = 100 * time.Millisecond
)

// waitForNews waits until something has happened, or until a clock on the
// screen has to move. When nothing does, nothing runs.
func (m *model) waitForNews(busy, behind, aging bool) tea.Cmd {
	since, wake, done, pace := m.now, m.wake, m.ctx.Done(), m.pace
	return func() tea.Msg {
		var clock <-chan time.Time
		switch {
		case behind:
			clock = time.After(period / 4)
		case busy:
			clock = time.After(beat)
		case aging:
			clock = time.After(time.Second)
		}
		select {
		case <-wake:
			// The first news after a quiet time is shown at once.
			if rest := pace - time.Since(since); rest > 0 {
				select {
				case <-time.After(rest):
				case <-done:
				}
			}
		case <-clock:
		case <-done:
			return nil
		}
		return newsMsg{time.Now()}
	}
}

// touched is what follows on each thing that the person does: the detail shows
// what is selected now, and whoever waits for news looks again, since there may
// be a clock to run or a filter to work off.
func (m *model) touched() tea.Cmd {
	m.session.Store().Poke()
	return m.showSelected()
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.dirty = true
	switch msg := msg.(type) {
	case newsMsg:
		return m, m.refresh(msg.now)
	case tea.KeyPressMsg:
		m.flash = action.Flash{} // what it said was about the key before
		m.midway = m.overlay == nil && m.focused().Typing() && msg.Text != ""
		return m, tea.Batch(m.key(msg), m.touched())
	case tea.PasteMsg:
		m.paste(msg.Content)
		return m, m.touched()
	case tea.MouseClickMsg:
		return m, tea.Batch(m.click(msg.Mouse()), m.touched())
	case tea.MouseWheelMsg:
		m.wheel(msg.Mouse())
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != m.dark {
			m.dark = dark
			m.chooseTheme()
		}
	case tea.ColorProfileMsg:
		m.profile(msg.Profile)
	case tea.ModeReportMsg:
		m.graphemes(msg)
	case connectedMsg:
		m.connected()
	case detail.Loaded:
		m.detail.Take(msg)
	case browsedMsg:
		if msg.err != nil {
			m.say(action.Flash{Text: msg.err.Error(), Wrong: true})
		}
	case mutedMsg:
		m.mutedAlways(msg)
	case listedMsg:
		m.listed(msg)
	case editedMsg:
		m.edited(msg)
	case startedMsg:
		msg.then(msg.call)
	case repliedMsg:
		m.replied(msg)
	default:
		m.dirty = false
	}
	return m, m.showSelected()
}

// refresh looks at what is new and waits for more.
func (m *model) refresh(now time.Time) tea.Cmd {
	m.now = now
	m.spin++
	m.state = m.session.State()
	snap := m.session.Store().Snapshot()
	m.pace = period
	if snap.Rows-m.snap.Rows >= flood {
		m.pace = busyPeriod
	}
	m.snap = snap
	m.flights = m.session.Store().Flights(100)
	behind := m.traffic.Refresh(m.snap, now)
	m.composer.Refresh(m.state, now, m.spin)
	busy := len(m.flights) > 0 || m.state.Phase == session.Connecting || m.composer.Busy()
	for _, t := range m.tabs {
		t.pane.Refresh(m.state, m.flights, now, m.spin)
		busy = busy || t.pane.Busy()
	}
	if w, ok := m.overlay.(worker); ok {
		busy = w.refresh(now, m.spin) || busy
	}
	m.announce(m.inbox.News(), command.TabInbox)
	m.announceEnd(m.tasks.News())
	m.announceConsent()
	m.announceRenewal()
	reload, aging := m.reload()
	if m.flash.Text != "" {
		if busy = true; now.Sub(m.flashed) > 4*time.Second && !m.flashed.IsZero() {
			m.flash = action.Flash{}
		}
		if m.flashed.IsZero() {
			m.flashed = now
		}
	}
	return tea.Batch(m.waitForNews(busy, behind, aging), m.showSelected(), reload)
}

// reloader is a pane that reads again what has changed while it is on show.
type reloader interface {
	Reload() action.Action
	// Aging reports whether something gets older by the second.
	Aging() bool
}

// reload has the pane on show read again what has changed.
func (m *model) reload() (cmd tea.Cmd, aging bool) {
	p, ok := m.tabs[m.at].pane.(reloader)
	if !ok || m.layout.tab.empty() {
		return nil, false
	}
	if a := p.Reload(); a != nil {
		cmd = m.act(a)
	}
	return cmd, p.Aging()
}

// connected goes where it is most likely wanted, unless the person has gone
// somewhere already.
func (m *model) connected() {
	m.state = m.session.State()
	if m.flash.Text == reconnecting {
		m.flash = action.Flash{}
	}
	if m.moved {
		return
	}
	switch m.state.Phase {
	case session.Ready:
		if m.state.Handshake.HasCapability("tools") {
			m.at = 1
		}
	case session.Failed:
		m.at = 0
	}
}

// showSelected keeps the detail at the selected frame while both are in sight.
func (m *model) showSelected() tea.Cmd {
	if m.layout.detail.empty() {
		return nil
	}
	return m.detail.Show(m.traffic.Selected())
}

// profile takes note of how many colours the terminal has.
func (m *model) profile(p colorprofile.Profile) {
	switch p {
	case colorprofile.TrueColor:
		m.colours = 1 << 24
	case colorprofile.ANSI256:
		m.colours = 256
	default:
		m.colours = 16
	}
	m.chooseTheme()
}

// graphemes tells the painter how the terminal measures text: Bubble Tea goes
// by whole graphemes once the terminal has said that it does.
func (m *model) graphemes(msg tea.ModeReportMsg) {
	if msg.Mode == ansi.ModeUnicodeCore {
		paint.UseGraphemes(msg.Value.IsSet() || msg.Value == ansi.ModeReset)
	}
}
