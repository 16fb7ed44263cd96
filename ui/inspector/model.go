package inspector

import (
	"context"
	"io"
	"slices"
	"time"

	"mcptea/internal/schema/variables"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	sessionexport "mcptea/session/export"
	"mcptea/session/offer/changes"
	"mcptea/session/record/store"
	"mcptea/session/record/timeline"
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

// The commands that lead to the tabs.
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

// model is the inspector.
type model struct {
	*program.Program
	options *Options
	session *session.Session
	begin   func() // connects for the first time, and returns when that has ended; later calls wait for the first

	own []keys.Command // of the inspector, everywhere

	layout layout
	wish   wish
	// borders are those that the user has moved, by the screens that they are on.
	borders map[stop]borders
	focus   slot
	zoom    bool // the pane with the focus has the body to itself

	// Where the user is: a tab is always active; a frame of the traffic may be open
	// in full, and the composer be open, each over or beside it. Back leads to where the
	// user was before, see trail.
	frameOpen     bool
	composerOpen  bool
	trail         []stop // on the way from the tab to here
	going         bool   // a visit is on its way
	userNavigated bool   // the user has gone somewhere: the program selects no tab any more

	tabs      []tab
	others    []program.Route // the panes that are no tabs
	activeTab int             // index of tabs
	server    *server.Pane
	inbox     *inbox.Pane
	tasks     *tasks.Pane
	problems  *problems.Pane
	views     trafficViews
	pulse     pulse
	taps      []tapAt // in the first row
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

	pinsQuestion app.Dialog // about the pins; nil without one
	pinsAsked    *pins.Question

	formats []sessionexport.Format // of an export; nil for all

	// Where the user was, as an index of tabs, when the build or the restart failed; -1
	// while neither is shown because of that.
	beforeBuild, beforeFailure int
	reported                   slot   // the focus before the report of a failure took it
	failureSeen                int    // the attempt to connect whose failure was shown
	onceReady                  bool   // the server that is reloaded was connected once
	leftOut                    string // the newest sentence about a file that the reload leaves out, which was said

	state   session.State
	snap    store.Snapshot
	pending []store.Flow
	clock   time.Time       // that of what is shown: a recording stands still at its end
	changes <-chan struct{} // of the store

	consentAnnounced time.Time // when the consent page that was announced was requested
	consentFrom      stop      // where the user was then, or went to since
	consentAway      bool      // it was asked for while the user was in another tab
	renewalAnnounced int       // the attempt to connect whose new session was announced
	endNews          string    // the announcement of the end of the connection; empty without one
	recordingRead    bool      // the whole recording was read, and what was skipped announced

	calls        []*session.Call // of the user, newest last; see lastResult
	arguments    *saved.Arguments
	responses    *saved.Responses
	variables    variables.Lookup // of arguments, frames and responses
	pipe         string           // the command that content was sent through last
	temporary    string           // directory of files for other programs; empty without
	openFileWith func(ctx context.Context, path string) error
	exportFormat string // that was written last
	writeFile    func(path string, write func(io.Writer) error) error

	chosen  *ConnectTo
	targets []start.Group // what was read of Options.Targets; nil before the list of commands was open

	lists map[string]*browse.Pane // of what the server offers, by their tabs
}

// lesson is how far the user is in it.
type lesson struct {
	Lesson
	at             int
	next           int32 // the first row that was not looked at
	called, broken bool  // by one of the rows before
}

// shown reports whether there is a step to show.
func (l *lesson) shown() bool { return !l.Over && l.at < len(l.Steps) }

// notices are what a user who is elsewhere is told: that something has ended which took long, and that the
// server waits for the user.
type notices struct {
	running map[string]running // by what they are, bounded by what the panes keep
	asks    int                // questions that wait
	consent bool               // a consent page waits
	done    bool               // something has ended that took long, and the user has not come back since
}

// running is something that runs.
type running struct {
	what  string
	since time.Time
	how   func() string // it has ended; empty while it runs
}

// renames are the tools and prompts that have another name now, and what files keep under the old one.
type renames struct {
	changes *changes.Snapshot // that was looked at
	asked   []string          // the lists, old and new names that the user was asked about
	queue   []changes.Item
	known   []changes.Item // of this session, also those that the user has seen, the newest last
	again   bool           // the user has asked for the questions in the queue
	open    app.Dialog     // the question about of, also once it is answered; nil before the first one
	of      *changes.Item
}

// trafficViews are the panes that show the frames of the session.
type trafficViews struct {
	frames   *frames.Program
	traffic  *traffic.Pane
	timeline *timelinepane.Pane
	sequence *sequence.Pane
	detail   *detail.Pane

	// The traffic is a list, or one of the views that take the whole window.
	view         frames.View
	each         [4]frameView // the traffic in its views
	byExchange   bool         // what the list showed below a tab, when the focus came to it
	requests     *timeline.Timeline
	stopRequests func() // ends the reading of the events; nil while the list is shown
}

// frameView is a view of the traffic, in which a row is selected.
type frameView interface {
	app.Part
	Select(row int32)
	Selected() int32
	Following() bool // the newest is selected, whatever comes
}

// tab is a pane in the tab row, with the command that leads to it.
type tab struct {
	keys.Command
	name, short string
	pane        app.Part
	asks        func(p *paint.Palette) paint.Style // of a badge that has to be seen; nil for a count
}

// stop is a place where the user was.
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

// paneApp is the inspector as one of its panes sees it, or as its windows do.
type paneApp struct {
	*model
	tab string // of the pane; empty for a window
}

// of is the inspector as the pane of a tab sees it.
func (m *model) of(tab string) app.App { return paneApp{m, tab} }

// app is the inspector as its windows see it.
func (m *model) app() app.App { return m.of("") }

// Focused implements [program.Screen].
func (m *model) Focused() app.Part { return m.partAt(m.focus) }

// partAt is the pane at a slot.
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

// Here is what the place of the focus is called on the screen: the tab, and the part of it.
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

// wirePane is the view of the traffic that keys go to.
func (m *model) wirePane() app.Part { return m.views.each[m.shownView()] }

// inTraffic reports whether the keys go to the traffic or to a frame of it.
func (m *model) inTraffic() bool {
	return m.focus == slotTraffic || m.focus == slotDetail
}

// detailOnly reports whether a small screen shows the frame in the place of the
// traffic.
func (m *model) detailOnly() bool {
	return m.frameOpen && m.layout.traffic.empty() && !m.layout.detail.empty()
}

// tab is the index of the tab with an id.
func (m *model) tab(id string) int {
	return slices.IndexFunc(m.tabs, func(t tab) bool { return t.ID == id })
}

// list is the list that the active tab shows; nil for another tab.
func (m *model) list() *browse.Pane { return m.lists[m.tabs[m.activeTab].ID] }

// serverName is what the server calls itself, or its target. It is untrusted text.
func (m *model) serverName() string {
	if h := m.state.Handshake; h.Server.Name != "" {
		return h.Server.String()
	}
	target := m.session.Target()
	return display.Cut(display.Sanitize(target.String()), max(10, m.W/3))
}

// shownView is the view of the traffic that keys go to.
func (m *model) shownView() frames.View {
	if m.focus != slotTraffic {
		return frames.ExchangeList
	}
	return m.views.view
}

// selectedRow is the row that is selected in the view that keys go to.
func (m *model) selectedRow() int32 { return m.views.each[m.shownView()].Selected() }

// tapAt is where a tap is in the first row.
type tapAt struct {
	x, w int
	show func()
}
