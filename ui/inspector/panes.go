package inspector

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"mcptea/internal/desktop"
	"mcptea/internal/schema/variables"
	"mcptea/internal/system"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/record/timeline"
	"mcptea/session/apps"
	"mcptea/session/requests"
	"mcptea/session/runs/checker"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/diff"

	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	appspane "mcptea/ui/pane/apps"
	"mcptea/ui/pane/branches"
	"mcptea/ui/pane/browse"

	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/detail"
	eventspane "mcptea/ui/pane/events"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/logs"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	"mcptea/ui/pane/saved"
	"mcptea/ui/pane/sequence"

	skillspane "mcptea/ui/pane/skills"
	"mcptea/ui/pane/tasks"
	timelinepane "mcptea/ui/pane/timeline"
	"mcptea/ui/pane/traffic"
	"mcptea/ui/program"
)

// wiring connects a folder of ui/pane, or a part of the inspector, to the inspector.
type wiring struct {
	folder string // folder, or "" for a part of the inspector
	// Fields of a tab: its key, its names in the tab row, and in asks the style of a badge that must be
	// noticed.
	id, key, name, short string
	asks                 func(p *paint.Palette) paint.Style
	label, help, words   string // texts of the command
	// show leads to a pane that is not a tab.
	show func()
	// make makes the pane with its dependencies in the session and other panes. Dependencies on later panes are
	// read when they are used. It returns nil for a wiring that only opens windows.
	make func(a app.App) app.Part
}

// wirings returns the table of all panes: the tabs in the order of their numbers, then the rarer ones with a
// letter.
func (m *model) wirings() []wiring {
	return []wiring{
		{folder: "saved", make: m.newSaved},
		{make: m.newQuestions},

		{
			folder: "server", id: tabServer, key: "1", name: "Server", short: "Srv", make: m.newServer,
			label: "server", help: "Show the connection: steps, capabilities, instructions", words: "info connect connection tls ssl certificate https protocol version transport headers pid restarts about",
		},
		{
			folder: "browse", id: tabTools, key: "2", name: "Tools", short: "Tools", make: m.newList("tools"),
			label: "tools", help: "Show the tools", words: "call",
		},
		{
			folder: "browse", id: tabResources, key: "3", name: "Resources", short: "Res", make: m.newList("resources"),
			label: "resources", help: "Show the resources and resource templates", words: "read uri",
		},
		{
			folder: "browse", id: tabPrompts, key: "4", name: "Prompts", short: "Prompts", make: m.newList("prompts"),
			label: "prompts", help: "Show the prompts",
		},
		{
			folder: "inbox", id: tabInbox, key: "5", name: "Requests", short: "Req", asks: askedBadge, make: m.newInbox,
			label: "requests", help: "Show the requests of the server: sampling, elicitation, roots", words: "server requests questions inbox",
		},
		{
			folder: "logs", id: tabLogs, key: "6", name: "Logs", short: "Logs", make: m.newLogs,
			label: "logs", help: "Show log messages, stderr and stray output", words: "stderr messages console output stdout",
		},
		{
			folder: "tasks", id: tabTasks, key: "7", name: "Tasks", short: "Tasks", make: m.newTasks,
			label: "tasks", help: "Show the tasks", words: "long-running progress background async",
		},
		{
			folder: "problems", id: tabProblems, key: "8", name: "Problems", short: "Prob", asks: m.worst, make: m.newProblems,
			label: "problems", help: "Show what is wrong: findings of the session, and the probes", words: "lint errors warnings findings check probes test conformance security problems validate audit issues",
		},
		{
			folder: "skills", id: tabSkills, key: "0", name: "Skills", short: "Skills", make: m.newSkills,
			label: "skills", help: "Show the skills of the server, and read and verify their files", words: "sep-2640 instructions digest frontmatter",
		},
		{
			folder: "events", id: tabEvents, key: string(keys.Events), name: "Events", short: "Ev", make: m.newEvents,
			label: "events", help: "Show the event types of the server, and what subscriptions bring", words: "sep-3415 subscribe listen stream poll push webhook",
		},
		{
			folder: "intercept", id: tabIntercept, key: string(keys.Held), name: "Intercept", short: "Held", asks: warnedBadge, make: m.newIntercept,
			label: "intercept", help: "Show the held frames, the breakpoints and the faults", words: "breakpoints faults held proxy intercept tamper",
		},
		{
			folder: "build", id: tabBuild, key: string(keys.Build), name: "Build", short: "Build", asks: failedBadge, make: m.newBuild,
			label: "build", help: "Show the output of the build that failed (--build)", words: "compile errors watch",
		},
		{
			folder: "branches", id: tabBranch, key: string(keys.Origin), name: "Branch", short: "Branch", asks: warnedBadge, make: m.newBranch,
			label: "branch", help: "Show what was sent again from the recording that this session continues", words: "recording continue replay differences",
		},
		{
			folder: "apps", id: tabApps, key: string(keys.Apps), name: "Apps", short: "Apps", asks: askedBadge, make: m.newApps,
			label: "apps", help: "Show the apps that are open in the browser: settings of the host, messages on purpose", words: "mcp ui theme size locale browser widget",
		},

		{folder: "traffic", id: tabTraffic, show: func() { m.showView(frames.ExchangeList) }, make: m.newTraffic},
		{folder: "detail", id: tabTraffic, show: m.openDetail, make: m.newDetail},
		{folder: "timeline", id: tabTraffic, show: func() { m.showView(frames.Timeline) }, make: m.newTimeline},
		{folder: "sequence", id: tabTraffic, show: func() { m.showView(frames.Sequence) }, make: m.newSequence},
		{folder: "pins", id: "pins", show: m.showPins, make: m.newPins},
		{folder: "composer", id: "compose", show: m.composeHere, make: m.newComposer},
	}
}

// Styles of badges that must be seen.
func askedBadge(p *paint.Palette) paint.Style  { return p.AskedBold }
func warnedBadge(p *paint.Palette) paint.Style { return p.WarnBold }
func failedBadge(p *paint.Palette) paint.Style { return p.ErrorBold }

// worst returns the style of the number of problems.
func (m *model) worst(p *paint.Palette) paint.Style {
	errors, _ := m.problems.Total()
	return paint.If(errors > 0, p.Error, p.Warn)
}

// newWired returns the inspector with its panes. sections returns the commands of all screens.
func newWired(ctx context.Context, s *session.Session, o Options, sections func() ([]keys.Section, error)) (*model, func()) {
	wake, stop := s.Store().Subscribe()
	m := &model{
		Program: program.New(ctx, &o.Options, sections), options: &o, session: s, lists: map[string]*browse.Pane{}, changes: wake,
		writeFile: system.WriteFile, openFileWith: desktop.OpenFile, beforeFailure: -1,
	}
	m.Screen = m
	m.lesson.Lesson = o.Lesson
	m.begin = sync.OnceFunc(m.connect)
	m.pins = pins.New(m.Ctx, s, cmp.Or(o.Pins, pins.DefaultFile))
	m.checker = checker.New(s)
	m.newFrames()
	for _, w := range m.wirings() {
		pane := w.make(m.of(w.id))
		switch {
		case w.key != "":
			m.tabs = append(m.tabs, tab{Command: m.leads(&w), name: w.name, short: w.short, pane: pane, asks: w.asks})
		case w.show != nil:
			m.others = append(m.others, program.Route{Part: pane, Show: w.show})
		}
	}
	v := &m.views
	v.each = [...]frameView{v.traffic, v.traffic, v.timeline, v.sequence}
	return m, stop
}

// leads returns the command that leads to a tab.
func (m *model) leads(w *wiring) keys.Command {
	id := w.id
	c := keys.Command{ID: id, Label: w.label, Help: w.help, Words: w.words, Run: func() { m.ShowTab(id) }}
	if c.Verb = keys.Verb(w.key); w.key[0] <= '9' {
		c.Verb, c.Keys = "", []string{w.key, "alt+" + w.key}
	}
	return c
}

func (m *model) newSaved(a app.App) app.Part {
	m.arguments = saved.NewArguments(a, m.options.Arguments, m.session.ArgumentHistory)
	m.responses = saved.NewResponses(a, m.options.Responses)
	m.variables = variables.Sources{Env: variables.Environment, Last: m.lastResult, Pin: m.pins.Result, Pins: m.pins.Names}.Lookup
	return nil
}

func (m *model) newQuestions(a app.App) app.Part {
	m.agents, m.calling, m.appsAsk = newQuestionQueue(a), newQuestionQueue(a), newQuestionQueue(a)
	return nil
}

// newList returns a function that makes the pane for a list of the server.
func (m *model) newList(kind string) func(a app.App) app.Part {
	return func(a app.App) app.Part {
		p := browse.New(a, m.session, kind, browse.Options{
			Flags: m.options.Flags, Variables: m.variables, Arguments: m.arguments,
			Pin:      func(c *session.Call) { m.pinned.PinCall(c) },
			Compare:  m.compareServers,
			IsAlone:  m.isAlone,
			DiffRows: m.diffRows,
			Explain:  func(row int32) { m.views.frames.Card(row, false) },
			ShowFinding: func(f lint.Finding) {
				m.ShowTab(tabProblems)
				m.problems.ShowFinding(f)
			},
			Sent: m.noteCall,
			Used: func(method string) bool {
				return slices.ContainsFunc(m.session.Inbox().Requests(), func(r requests.Request) bool { return r.Method == method })
			},
			Reconnect: m.session.Restart,
			OpenApp:   func(tool string, arguments []byte, c *session.Call) { m.apps.Open(tool, arguments, c) },
		})
		p.DiffValues = func(oldName, newName string, old, now []byte) {
			diff.Open(a, diff.Comparing, diff.OfValues([2]string{oldName, newName}, [2][]byte{old, now}))
		}
		m.lists["tab."+kind] = p
		return p
	}
}

func (m *model) newInbox(a app.App) app.Part {
	m.inbox = inbox.New(a, m.session.Inbox())
	m.inbox.Calls = func() []store.Flow { return m.pending }
	m.inbox.Again, m.inbox.Return = m.callAgain, m.showCaller
	m.inbox.Responses, m.inbox.Variables = m.responses, m.variables
	if m.live() {
		m.inbox.Policies = saved.NewPolicies(m.app(), m.session.Inbox(), m.responses)
	}
	return m.inbox
}

func (m *model) newLogs(a app.App) app.Part { return logs.New(a, m.session.Store(), m.session) }

func (m *model) newTasks(a app.App) app.Part {
	m.tasks = tasks.New(a, m.session.Tasks())
	return m.tasks
}

func (m *model) newProblems(a app.App) app.Part {
	var probes problems.Checker
	if m.live() {
		probes = m.checker
	}
	m.problems = problems.New(a, m.session, probes)
	m.problems.MuteAlways, m.problems.Flags, m.problems.Version = m.options.MuteAlways, m.options.Flags, m.options.Version
	m.problems.Frames = func(title string, rows []int32) {
		openEvidence(m.app(), m.checker.Store(), m.session, title, rows, m.options.Filters)
	}
	m.problems.Reduce = m.reduce
	return m.problems
}

func (m *model) newIntercept(a app.App) app.Part {
	m.intercept = intercept.New(a, m.session)
	m.intercept.Attach, m.intercept.Propose, m.intercept.Names = m.attach, m.breakpointFor, m.options.Filters
	if m.live() {
		m.intercept.Watch(m.session.Intercept(), "")
	}
	return m.intercept
}

func (m *model) newBuild(a app.App) app.Part {
	m.build = build.New(a)
	return m.build
}

func (m *model) newBranch(a app.App) app.Part {
	m.branch = branches.New(a, m.options.Branch, m.session.Store().Path, m.branchAgain)
	return m.branch
}

func (m *model) newApps(a app.App) app.Part {
	m.apps = appspane.New(a, m.session, appspane.Host{
		Dark: func() bool { return m.Program.Dark }, OpenLink: desktop.Open, Save: apps.Save,
		Filter: func(text string) {
			m.views.frames.Filter.Set(text)
			m.showTraffic()
		},
	})
	return m.apps
}

func (m *model) newEvents(a app.App) app.Part { return eventspane.New(a, m.session) }

func (m *model) newSkills(a app.App) app.Part {
	m.skills = skillspane.New(a, skillspane.Live{Session: m.session})
	return m.skills
}

// newFrames makes the parts that the panes of frames share.
func (m *model) newFrames() {
	m.views.requests = timeline.New(m.session.Store())
	m.views.frames = &frames.Program{
		App: m.of(tabTraffic), Source: m.session, Filter: frames.NewFilter(m.session, m.options.Filters), Cancel: m.session.Cancel, Send: m.sendAgain,
		Pin: func(row int32) { m.pinned.PinFrame(row) }, Diff: m.diff,
		Show: m.showView, Whole: m.showWhole, Findings: m.showFindings,
		Held: func() map[int32]time.Duration { return m.intercept.HeldRows() }, EditHeld: m.editHeld,
		Agent: func() map[int32]bool {
			if m.options.Sharing == nil {
				return nil
			}
			return m.options.Sharing.Rows()
		},
	}
}

func (m *model) newTraffic(app.App) app.Part {
	p := traffic.New(m.views.frames)
	p.Key, p.Frame, p.View = m.Name, m.frameBeside, m.viewFrame
	p.Held = m.views.frames.Held
	p.Again = func(pal *paint.Palette, row int32) []paint.Span { return m.branch.Remark(pal, row) }
	m.views.traffic = p
	return p
}

func (m *model) newDetail(app.App) app.Part {
	m.views.detail = detail.New(m.views.frames)
	return m.views.detail
}

func (m *model) newTimeline(app.App) app.Part {
	m.views.timeline = timelinepane.New(m.views.frames, m.views.requests)
	return m.views.timeline
}

func (m *model) newSequence(app.App) app.Part {
	p := sequence.New(m.views.frames)
	p.Names = func() (server, over string) { return m.serverName(), m.session.Transport() }
	p.By = func() map[int32]string {
		by := map[int32]string{}
		for _, r := range m.session.Inbox().Requests() {
			by[r.Row] = r.By
		}
		return by
	}
	m.views.sequence = p
	return p
}

func (m *model) newPins(a app.App) app.Part {
	m.pinned = pinspane.New(a, m.pins)
	m.pinned.Renamed = func(list, name string) string {
		for _, it := range m.renamed() {
			if it.List == list && it.Renamed == name {
				return it.Key
			}
		}
		return ""
	}
	return m.pinned
}

func (m *model) newComposer(a app.App) app.Part {
	m.composer = composer.New(a, m.session)
	m.composer.Variables = m.variables
	m.composer.Replaces = func() bool {
		return slices.ContainsFunc(m.Focused().Commands(), func(c keys.Command) bool { return c.ID == "compose.item" })
	}
	return m.composer
}
