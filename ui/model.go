package ui

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/schema/variables"
	"mcptea/internal/shell"
	"mcptea/internal/system/atomicfile"
	"mcptea/session/apps"
	sessionexport "mcptea/session/export"
	"mcptea/session/record/store"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/checker"
	"mcptea/session/runs/pins"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/session/sharing"
	"mcptea/session/state"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/browser"
	"mcptea/ui/evidence"
	"mcptea/ui/graphics"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	appspane "mcptea/ui/pane/apps"
	"mcptea/ui/pane/branches"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/logs"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	"mcptea/ui/pane/saved"
	"mcptea/ui/pane/server"
	"mcptea/ui/pane/servers"
	sharingpane "mcptea/ui/pane/sharing"
	"mcptea/ui/pane/tasks"
)

// Options are what the command line and config.yaml choose.
type Options struct {
	Theme  string // a theme's name; empty follows the terminal's background
	Themes *themes.Catalog
	Colors int  // how many the terminal has; 0 for all
	ASCII  bool // no character outside of ASCII in the program's own signs
	// Graphics allows to ask the terminal for graphics when a picture is shown.
	Graphics bool
	NoMouse  bool // leave the mouse to the terminal
	Version  string
	// Keys are the key bindings of the user, by the id of the command.
	Keys map[string][]string
	// Flags say how the session reaches the server; they go into the commands
	// that are copied.
	Flags []shell.Flag
	// Clipboard writes to the clipboard of the system; nil without one. It is
	// called from a goroutine of its own.
	Clipboard func(text string) error
	// Responses are the saved responses to server requests; nil without any.
	Responses *state.Responses
	// Draft is put into the composer at the start.
	Draft Draft
	// Target is offered where a recording needs a server, in the place of its own.
	Target string
	// Arguments are the saved arguments of tools and prompts; nil without any.
	Arguments *state.Responses
	// Pins is the file of the pins; empty for [pins.DefaultFile].
	Pins string
	// Attach attaches to the tap that writes a recording; nil when there is no such
	// thing. It is called from a goroutine of its own.
	Attach func(ctx context.Context, recording string) (*intercept.Attached, error)
	// Sharing is what coding agents do in the session; nil when none can attach.
	Sharing *sharing.Session
	// MuteAlways mutes a rule in every later session, or unmutes it, and returns the
	// file that was changed. It is called from a goroutine of its own;
	// nil when there is no such thing.
	MuteAlways func(rule string, on bool) (string, error)
	// Reload builds and restarts the server when its files change; nil without. It runs
	// as long as the inspector.
	Reload *watch.Loop
	// Branch goes on from a recording once the session is connected; nil without.
	Branch *branch.Branch
}

// tab is a pane in the tab row, with the command that leads to it.
type tab struct {
	keys.Command
	name, short string
	pane        app.Part
	tall        bool                               // one to read, which takes more of the screen
	asks        func(p *paint.Palette) paint.Style // of a badge that has to be seen; nil for a count
}

// model is the inspector.
type model struct {
	*program
	session *session.Session
	begin   func() // connects for the first time, and returns when that has ended; later calls wait for the first

	own []keys.Command // of the inspector, everywhere

	layout layout
	focus  part
	zoom   bool // the pane with the focus has the body to itself

	// Where the user is: a tab is always active; a frame of the traffic may be open
	// in full, and the composer be open, each over or beside it. Back leads to where the
	// user was before, see trail.
	frameOpen     bool
	composerOpen  bool
	trail         []stop // on the way from the tab to here
	going         bool   // a visit is on its way
	userNavigated bool   // the user has gone somewhere: the program selects no tab any more

	tabs      []tab
	activeTab int // index of tabs
	server    *server.Pane
	inbox     *inbox.Pane
	tasks     *tasks.Pane
	problems  *problems.Pane
	wire      wire
	composer  *composer.Pane
	checker   *checker.Checker
	intercept *intercept.Pane
	build     *build.Pane
	branch    *branches.Pane
	apps      *appspane.Pane
	appsAsk   *sharingpane.Questions
	calling   *sharingpane.Questions // asks about calls that are sent again
	pins      *pins.Pins
	pinned    *pinspane.Pane
	second    *servers.Second
	agents    *sharingpane.Questions

	pinsQuestion app.Dialog // about the pins; nil without one
	pinsAsked    *pins.Question

	formats []sessionexport.Format // of an export; nil for all

	// Where the user was, as an index of tabs, when the build or the restart failed; -1
	// while neither is shown because of that.
	beforeBuild, beforeFailure int
	reported                   part // the focus before the report of a failure took it
	failureSeen                int  // the attempt to connect whose failure was shown
	onceReady                  bool // the server that is reloaded was connected once

	state   session.State
	snap    store.Snapshot
	pending []store.Flow
	clock   time.Time       // that of what is shown: a recording stands still at its end
	changes <-chan struct{} // of the store

	consentAnnounced time.Time // when the consent page that was announced was requested
	renewalAnnounced int       // the attempt to connect whose new session was announced
	endNews          string    // the announcement of the end of the connection; empty without one
	recordingRead    bool      // the whole recording was read, and what was skipped announced

	calls        []*session.Call // of the user, newest last; see lastResult
	arguments    *saved.Arguments
	responses    *saved.Responses
	pipe         string // the command that content was sent through last
	temporary    string // directory of files for other programs; empty without
	openFileWith func(ctx context.Context, path string) error
	exportFormat string // that was written last
	writeFile    func(path string, write func(io.Writer) error) error

	chosen *ConnectTo

	lists map[string]*browse.Pane // of what the server offers, by their tabs
}

func newModel(ctx context.Context, s *session.Session, o Options) (*model, func()) {
	wake, stop := s.Store().Subscribe()
	m := &model{
		program: newProgram(ctx, &o), session: s, lists: map[string]*browse.Pane{}, changes: wake,
		writeFile: atomicfile.Write, openFileWith: browser.OpenFile,
	}
	m.usePins(pins.New(m.ctx, s, cmp.Or(o.Pins, pins.DefaultFile)))
	m.newWire()
	m.checker = checker.New(s)
	m.beforeFailure = -1
	m.screen = m
	m.begin = sync.OnceFunc(m.connect)
	m.second = servers.NewSecond(m.app(), s)
	m.inbox = inbox.New(m.of(tabInbox), s.Inbox())
	m.inbox.Calls = func() []store.Flow { return m.pending }
	m.inbox.Again, m.inbox.Return = m.callAgain, m.showCaller
	m.agents = sharingpane.New(m.app())
	m.build = build.New(m.of(tabBuild))
	m.branch = branches.New(m.of(tabBranch), o.Branch, s.Store().Path, m.branchAgain)
	m.calling = sharingpane.New(m.app())
	m.appsAsk = sharingpane.New(m.app())
	m.apps = appspane.New(m.of(tabApps), s, appspane.Host{
		Dark: func() bool { return m.program.dark }, OpenLink: browser.Open, Save: apps.SaveIn("."),
		Filter: func(text string) {
			m.wire.frames.Filter.Set(text)
			m.showTraffic()
		},
	})
	m.composer = composer.New(m.of("compose"), s)
	m.tasks = tasks.New(m.of(tabTasks), s.Tasks())
	var probes problems.Checker
	if _, recorded := s.Recording(); !recorded {
		probes = m.checker
	}
	m.problems = problems.New(m.of(tabProblems), s, probes)
	m.problems.MuteAlways, m.problems.Flags, m.problems.Version = o.MuteAlways, o.Flags, o.Version
	m.problems.Frames = func(title string, rows []int32) { evidence.Open(m.app(), m.checker.Store(), s, title, rows) }
	m.server = server.New(m.of(tabServer), server.Program{
		Watching: o.Reload != nil,
		Restart:  m.restart, Compare: func() { servers.CompareVersions(m.app(), s) },
		AskPage: m.askPage,
	}, s)
	m.intercept = intercept.New(m.of(tabIntercept), s)
	m.intercept.Attach, m.intercept.Propose = m.attach, m.breakpointFor
	m.tabs = m.registry(logs.New(m.of(tabLogs), s.Store(), s))
	sources := variables.Sources{Env: variables.Environment, Last: m.lastResult, Pin: func(name string) ([]byte, bool) { return m.pins.Result(name) }, Pins: func() []string { return m.pins.Names() }}
	m.arguments = saved.NewArguments(m.app(), o.Arguments, s.ArgumentHistory)
	m.responses = saved.NewResponses(m.app(), o.Responses)
	m.inbox.Responses = m.responses
	m.fillIn(sources.Lookup, m.arguments)
	m.inbox.Variables, m.composer.Variables = sources.Lookup, sources.Lookup
	if o.Graphics {
		m.pictures = graphics.NewScreen(m.draw)
		m.retheme()
	}
	switch d := o.Draft; {
	case d.Frame != nil:
		m.ComposeFrame(d.Frame)
	case d.Method != "":
		m.Compose(d.Method, string(d.Params))
	}
	if _, recorded := s.Recording(); !recorded {
		m.inbox.Policies = saved.NewPolicies(m.app(), s.Inbox(), m.responses)
		m.intercept.Watch(s.Intercept(), "")
	}
	if rec, ok := s.Recording(); ok {
		m.activeTab = 1
		m.visit(func() { m.focus = partTraffic })
		if !rec.Growing {
			m.wire.traffic.ToggleFollow() // the first frame stays in sight
		}
		s.Store().Notify() // it may have been read already
	}
	return m, stop
}

// draw encodes a picture on another goroutine.
func (m *model) draw(work func()) {
	m.work.Go(func() {
		work()
		m.session.Store().Notify()
	})
}

// opened implements [screen]: it starts to connect.
func (m *model) opened() tea.Cmd {
	loadPins := func() tea.Msg { _ = m.pins.Load(); return nil } // the pane shows the error
	if _, recorded := m.session.Recording(); recorded {
		return loadPins
	}
	return tea.Batch(func() tea.Msg {
		m.begin() // the outcome is in the state
		return connectedMsg{}
	}, loadPins)
}

// connectedMsg says that connecting came to its end, one way or the other.
type connectedMsg struct{}

// reconnect connects again, to the same server.
func (m *model) reconnect() tea.Cmd {
	if m.options.Reload != nil {
		m.options.Reload.Now()
		return nil
	}
	return func() tea.Msg {
		_ = m.session.Restart(m.ctx) // the outcome is in the state
		return connectedMsg{}
	}
}

// receive implements [screen].
func (m *model) receive(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if _, recorded := m.session.Recording(); recorded && m.w == 0 {
			m.visit(func() { m.frameOpen = msg.Width >= splitWidth }) // the frames are what a recording is opened for
		}
	case connectedMsg:
		m.connected()
	}
	m.wake()
}

// connected shows the tab that is most likely wanted, unless the user has gone
// somewhere already.
func (m *model) connected() {
	m.state = m.session.State()
	if m.flash.text == reconnecting {
		m.flash = flash{}
	}
	if m.userNavigated {
		return
	}
	switch m.state.Phase {
	case session.Ready:
		if m.options.Branch != nil {
			m.toTab(m.tab(tabBranch))
			return
		}
		if m.state.Handshake.HasCapability("tools") {
			m.activeTab = 1
		}
	case session.Failed:
		m.activeTab = 0
	}
}

// showSelected keeps the frame in full at the one that is selected while both are in sight.
func (m *model) showSelected() {
	if !m.layout.detail.empty() {
		m.wire.detail.Show(m.wire.traffic.Selected())
	}
}

// Run shows the inspector on a session, connects, and returns when the user
// quits. The caller closes the session. In a recording the user may choose to
// connect to a target instead; it is nil otherwise. The error is about the terminal
// or the options; a server that cannot be reached is shown on the screen and is not
// an error.
func Run(ctx context.Context, s *session.Session, o Options) (*ConnectTo, error) {
	m, unsubscribe := newModel(ctx, s, o)
	defer unsubscribe()
	if err := m.prepare(); err != nil {
		return nil, err // before anything is started
	}
	go m.begin() // the server starts while the terminal is prepared; closing the session waits for it
	err := m.program.run(m)
	m.intercept.Detach()
	m.apps.Close(context.WithoutCancel(ctx))
	m.pins.Wait()
	m.second.End()
	m.checker.Close()
	m.removeTemporary()
	return m.chosen, err
}
