package inspector

import (
	"context"
	"io"
	"slices"
	"time"

	"mcptea/internal/schema/variables"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/changes"
	"mcptea/record/store"
	"mcptea/record/timeline"
	sessionexport "mcptea/session/export"
	"mcptea/session/runs/checker"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	appspane "mcptea/ui/pane/apps"
	"mcptea/ui/pane/branches"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/intercept"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	"mcptea/ui/pane/saved"
	"mcptea/ui/pane/sequence"
	"mcptea/ui/pane/server"

	skillspane "mcptea/ui/pane/skills"
	"mcptea/ui/pane/start"
	"mcptea/ui/pane/tasks"
	timelinepane "mcptea/ui/pane/timeline"
	"mcptea/ui/pane/traffic"
	"mcptea/ui/program"
)

// The ids of the commands that lead to the tabs.
const (
	tabServer    = "tab.server"
	tabTools     = "tab.tools"
	tabResources = "tab.resources"
	tabPrompts   = "tab.prompts"
	tabInbox     = "tab.inbox"
	tabLogs      = "tab.logs"
	tabTasks     = "tab.tasks"
	tabProblems  = "tab.problems"
	tabTraffic   = "tab.traffic"
	tabIntercept = "tab.intercept"
	tabBuild     = "tab.build"
	tabBranch    = "tab.branch"
	tabApps      = "tab.apps"
	tabSkills    = "tab.skills"
	tabEvents    = "tab.events"
)

// model implements the inspector.
type model struct {
	*program.Program
	options *Options
	session *session.Session
	begin   func() // connects for the first time, and returns after the attempt; later calls wait for the first

	commands []keys.Command // commands of the inspector, available everywhere

	layout layout
	wish   wish
	// borders maps screens to the borders that the user has moved on them.
	borders map[stop]borders
	focus   slot
	zoom    bool // the focused pane has the whole body

	// Place of the user: a tab is always active; a frame of Traffic may be open in full, and the composer may
	// be open, each over or next to the tab. Back leads to the previous place, see trail.
	frameOpen     bool
	composerOpen  bool
	trail         []stop // places on the way from the tab to here
	going         bool   // a visit is in progress
	userNavigated bool   // the user has navigated, so the program no longer selects tabs

	tabs      []tab
	others    []program.Route // panes that are not tabs
	activeTab int             // index in tabs
	server    *server.Pane
	inbox     *inbox.Pane
	tasks     *tasks.Pane
	problems  *problems.Pane
	views     trafficViews
	pulse     pulse
	taps      []tapAt // taps in the first row
	lesson    lesson
	composer  *composer.Pane
	checker   *checker.Checker
	intercept *intercept.Pane
	build     *build.Pane
	branch    *branches.Pane
	apps      *appspane.Pane
	skills    *skillspane.Pane
	appsAsk   *questionQueue
	calling   *questionQueue // asks about calls that are sent again
	pins      *pins.Pins
	pinned    *pinspane.Pane
	agents    *questionQueue

	renames renames
	notices notices

	pinsQuestion app.Dialog // question about the pins, or nil
	pinsAsked    *pins.Question

	formats []sessionexport.Format // formats of an export, or nil for all

	// Tabs that were active when the build or the restart failed, as indices in tabs, or -1 if no failure is
	// shown.
	beforeBuild, beforeFailure int
	reported                   slot   // focus before the report of a failure took it
	failureSeen                int    // attempt to connect whose failure was shown
	onceReady                  bool   // the reloaded server was connected before
	leftOut                    string // newest message about a file that the reload ignores

	state   session.State
	snap    store.Snapshot
	pending []store.Flow
	clock   time.Time       // time of the shown content: in a recording, it stops at the end
	changes <-chan struct{} // changes of the store

	consentAnnounced time.Time // time at which the announced consent page was requested
	consentFrom      stop      // place of the user at that time, or later
	consentAway      bool      // consent was requested while the user was in another tab
	renewalAnnounced int       // attempt to connect whose new session was announced
	endNews          string    // announcement of the end of the connection, or ""
	recordingRead    bool      // the recording was read to its end, and skipped lines were announced

	calls        []*session.Call // calls of the user, newest last; see lastResult
	arguments    *saved.Arguments
	responses    *saved.Responses
	variables    variables.Lookup // variables in arguments, frames and responses
	pipe         string           // last command that received content
	temporary    string           // directory of files for other programs, or ""
	openFileWith func(ctx context.Context, path string) error
	exportFormat string // format of the last export
	writeFile    func(path string, write func(io.Writer) error) error

	chosen  *ConnectTo
	targets []start.Group // result of Options.Targets, or nil before the list of commands was opened

	lists map[string]*browse.Pane // lists of the server, by tab
}

// A lesson is the state of a lesson.
type lesson struct {
	Lesson
	at             int
	next           int32 // first unread row
	called, broken bool  // found in an earlier row
}

// shown reports whether there is a step to show.
func (l *lesson) shown() bool { return !l.Over && l.at < len(l.Steps) }

// notices announces to a user who is looking elsewhere that a long action has ended, or that the server waits
// for the user.
type notices struct {
	running map[string]running // running actions by identity; bounded, because the panes bound them
	asks    int                // number of waiting questions
	consent bool               // a consent page waits
	done    bool               // a long action has ended since the user left
}

// A running is an action in progress.
type running struct {
	what  string
	since time.Time
	how   func() string // returns how the action ended, or "" while it runs
}

// renames holds renamed tools and prompts, and asks about files that still use the old names.
type renames struct {
	changes *changes.Snapshot // last snapshot that was read
	asked   []string          // lists with old and new names about which the user was asked
	queue   []changes.Item
	known   []changes.Item // renames of this session, including seen ones, newest last
	again   bool           // the user requested the questions in the queue
	open    app.Dialog     // question about of, even after it was answered, or nil before the first one
	of      *changes.Item
}

// trafficViews holds the panes that show the frames of the session.
type trafficViews struct {
	frames   *frames.Program
	traffic  *traffic.Pane
	timeline *timelinepane.Pane
	sequence *sequence.Pane
	detail   *detail.Pane

	// Traffic is a list, or one of the views that take the whole window.
	view         frames.View
	each         [4]frameView // views of Traffic
	byExchange   bool         // mode of the list below a tab, before it got the focus
	requests     *timeline.Timeline
	stopRequests func() // ends the reading of events, or nil while the list is shown
}

// A frameView is a view of Traffic with a selected row.
type frameView interface {
	app.Part
	Select(row int32)
	Selected() int32
	Following() bool // whether the newest row remains selected
}

// A tab is a pane in the tab row, with the command that leads to it.
type tab struct {
	keys.Command
	name, short string
	pane        app.Part
	asks        func(p *paint.Palette) paint.Style // style of a badge that must be seen, or nil for a count
}

// A stop is a place where the user has been.
type stop struct {
	tab         int
	focus       slot
	view        frames.View
	frame, zoom bool
}

// A wish is the number of rows that the pins need since they have the focus.
type wish struct {
	at         stop
	w, h, rows int
}

// A paneApp is the inspector as one of its panes or windows sees it.
type paneApp struct {
	*model
	tab string // tab of the pane, or "" for a window
}

// of returns the inspector as the pane of a tab sees it.
func (m *model) of(tab string) app.App { return paneApp{m, tab} }

// app returns the inspector as its windows see it.
func (m *model) app() app.App { return m.of("") }

// Focused implements [program.Screen].
func (m *model) Focused() app.Part { return m.partAt(m.focus) }

// partAt returns the pane in a slot.
func (m *model) partAt(at slot) app.Part {
	switch at {
	case slotPins:
		return m.pinned
	case slotTraffic:
		if m.detailOnly() {
			return m.views.detail
		}
		return m.wirePane()
	case slotDetail:
		return m.views.detail
	case slotComposer:
		return m.composer
	}
	return m.tabs[m.activeTab].pane
}

// Here returns the visible name of the focused place: the tab, and the part of it.
func (m *model) Here() string {
	section := m.Focused().Section()
	switch {
	case m.focus != slotTab:
		return phrase.Capital(section)
	case m.list() == nil || !m.list().Inside():
		return m.tabs[m.activeTab].name
	}
	return m.tabs[m.activeTab].name + ", " + section
}

// wirePane returns the view of Traffic that receives keys.
func (m *model) wirePane() app.Part { return m.views.each[m.shownView()] }

// inTraffic reports whether Traffic or a frame of it has the focus.
func (m *model) inTraffic() bool {
	return m.focus == slotTraffic || m.focus == slotDetail
}

// detailOnly reports whether a small screen shows the frame instead of Traffic.
func (m *model) detailOnly() bool {
	return m.frameOpen && m.layout.traffic.empty() && !m.layout.detail.empty()
}

// tab returns the index of the tab with an id.
func (m *model) tab(id string) int {
	return slices.IndexFunc(m.tabs, func(t tab) bool { return t.ID == id })
}

// list returns the list in the active tab, or nil.
func (m *model) list() *browse.Pane { return m.lists[m.tabs[m.activeTab].ID] }

// serverName returns the name that the server reports, or its target. It is untrusted text.
func (m *model) serverName() string {
	if h := m.state.Handshake; h.Server.Name != "" {
		return h.Server.String()
	}
	target := m.session.Target()
	return display.Cut(display.Sanitize(target.String()), max(10, m.W/3))
}

// shownView returns the view of Traffic that receives keys.
func (m *model) shownView() frames.View {
	if m.focus != slotTraffic {
		return frames.ExchangeList
	}
	return m.views.view
}

// selectedRow returns the selected row of the view that receives keys.
func (m *model) selectedRow() int32 { return m.views.each[m.shownView()].Selected() }

// A tapAt is the position of a tap in the first row.
type tapAt struct {
	x, w int
	show func()
}
