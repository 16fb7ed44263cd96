package server

import (
	"cmp"
	"errors"
	"os"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/card"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/markdown"
	"mcptea/ui/paint"
)

// Session holds what the page shows in addition to the state.
type Session = *session.Session

// Program contains the functions of the program that the page uses.
type Program struct {
	Watching func() bool // the server is started again when a file is saved
	Restart  func()      // connects again
	// Behind reports whether Restart restarts the server behind the host of a tap.
	Behind  func() bool
	Watch   func() // start watching: restart the server after each save
	Shell   func(t client.Target)
	Keep    func(vars []string) (remedy.Keeping, error) // into the configuration of the server; may be nil
	Flags   []shell.Flag                                // flags that the session was started with
	Changed func(flags []shell.Flag)
	// AskPage asks whether to open a page whose URL comes from another party.
	AskPage func(url, from string)
	// Consent finds the consent page that waits for the user: known, or for a recording the page of its tap.
	Consent func(known string, use func(url string))
}

// A Pane is the page.
type Pane struct {
	app     app.App
	program Program
	s       Session
	home    string

	view
	attempts
	run     remedy.Run
	given   session.Link // link from the command line
	next    string       // change for the next attempt
	waiting app.Work     // waits for the port of the server
	since   time.Time    // start of the wait
	finding app.Work     // runs the trials of an experiment
	// cannotFind is the reason why an experiment shows nothing; empty if it may show the cause.
	cannotFind string
	kept       []string // variables that were written into the configuration
	entry      entry
	fixed      bool // the link cannot be changed: it belongs to a recording, a branch or another process

	now    time.Time
	spin   int
	record recording
	as     string // the client that the session is to the server; empty for mcptea itself
	// notOfClient lists what is unknown about that client.
	notOfClient []string
	endTold     int // attempt to connect whose end News has reported

	doc.Scroll
	wrapped    wrapping
	instructed markdown.Text
	reporting  bool // the page is made for a report, which others read
	unfolded   bool // the steps of a failure are shown
	toSteps    bool // the page is about to begin with the row of the steps
	sections   []keys.Section
	authorizes bool // an authorization may obtain a token
	// unannounced is the URL of a server without OAuth metadata. If it rejects a token, mcptea does not request
	// the metadata again.
	unannounced string

	fail string // the mark for the tab
}

// A recording describes the file of the record.
type recording struct {
	path string
	size int64
	err  error
	// The fields below are for an opened recording.
	branch        string // recording that it continues
	tool, skipped string
	watches       bool // the recording is written by a running tap of another client
}

// A moment holds the data that an explanation depends on. If it changes, a new explanation is
// needed.
type moment struct {
	phase   session.Phase
	attempt int
	logs    int
	exited  time.Time
}

// New returns the page about a session.
func New(a app.App, program Program, s Session) *Pane {
	p := &Pane{app: a, program: program, s: s, fail: phrase.Signs("✗")}
	if s != nil {
		p.target = s.Target()
		p.stderr.Secrets = s.Secrets()
		p.home, _ = os.UserHomeDir() // otherwise paths are shown in full
		if _, recorded := s.Recording(); !recorded {
			p.environ = failure.CompareEnv(os.Environ(), p.target)
		}
		p.given = s.Link()
		p.fixed = p.isRecorded() || s.Config().Branch != "" || p.target.Shared != nil
		p.run = remedy.NewRun(p.given, program.Flags)
	}
	p.sections = p.commands()
	return p
}

func (p *Pane) commands() []keys.Section {
	unless := func(why string, is func() bool) func() string {
		return func() string { return keys.Reason(!is(), why) }
	}
	// Enter connects only while there is no connection: it is pressed by accident too often to end a server.
	down := unless("It works while the server is not connected.", func() bool { return p.st.Phase != session.Ready && p.st.Phase != session.Connecting })
	failed := unless("It works after a failure.", p.failed)
	asked := unless("It works while a consent page is open.", p.Consents)
	refused := unless("The server has not asked for a token.", func() bool { return p.tokenRequired() && !p.Consents() })
	notAsked := func(off func() string) func() string {
		return func() string { return cmp.Or(keys.Reason(p.Consents(), "A consent page is open."), off()) }
	}
	common := []keys.Command{
		{ID: "reconnect", Keys: keys.On("enter"), Label: "try again", Now: p.first, Help: "Do the first remedy that the page names, or connect again", Words: "retry restart fix repair", Footer: 5, Run: p.doFirst, Off: func() string {
			return cmp.Or(notAsked(down)(), keys.Reason(p.back > 0, "This is an earlier attempt."))
		}},
		{ID: "fold.toggle", Keys: keys.On("space"), Label: "steps", Help: "Show or hide the steps of connecting and what was run", Words: "details expand collapse", Footer: 11, Run: p.toggleSteps, Off: func() string {
			return cmp.Or(failed(), keys.Reason(len(p.steps()) == 0, "The recording has no steps of connecting."))
		}},
		{ID: "copy", Verb: keys.Copy, Label: "copy command", Help: "Copy the command line of this connection, with secrets as variables", Words: "clipboard shell mcptea", Footer: 14, Run: p.copyCommand, Off: notAsked(func() string { return keys.Reason(p.isRecorded(), "A recording has no command.") })},
		{ID: "copy.other", Verb: keys.CopyOther, Label: "copy report", Help: "Copy this report as text", Words: "bug clipboard", Footer: 12, Run: func() { p.app.Copy(p.Report(), nil, "report") }, Off: notAsked(unless("There is nothing to report yet.", func() bool { return p.st.Phase != session.Idle }))},
		{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain what went wrong", Words: "why what means code", Footer: 13, Run: func() { c, _ := p.card(); p.app.Explain(c) }, Off: unless("There is no explanation for this.", func() bool { _, ok := p.card(); return ok && p.failed() })},
	}
	common = append(common, p.remedyCommands()...)
	return []keys.Section{
		{Name: "server", Commands: append([]keys.Command{
			{ID: "source.open", Verb: keys.Open, Label: "source", Help: "Open the source file that the output of the server names, or the configuration file that names the server, in $EDITOR", Words: "editor file line crash config", Footer: 10, Run: func() { p.app.OpenSource(p.toOpen()) }, Off: func() string {
				return cmp.Or(failed(), keys.Reason(p.toOpen().File == "", "No line on stderr names a source file, and no configuration file names the server."))
			}},
			{ID: "timeout.extend", Keys: keys.On("+"), Label: "30 s more", Help: "Wait 30 s longer for a response", Words: "timeout deadline wait", Footer: 10, Run: p.extend, Off: unless("It works while connecting.", func() bool { return p.st.Phase == session.Connecting })},
			{ID: "change.see", Verb: keys.Ignore, Label: "mark seen", Help: "Mark what has changed in the description of the server as seen", Words: "clear difference restart", Footer: 13, Run: p.see, Off: unless("Nothing has changed.", func() bool { return p.st.Changes != nil && len(p.st.Changes.Server) > 0 })},
		}, common...)},
		{Name: ofToken, State: true, Commands: append([]keys.Command{
			{ID: "token", Keys: keys.On("f6"), Label: "token", Help: "Type or paste an access token, for example to replace a refused one, and connect again", Words: "bearer authorization set header 401 login", Footer: 6, Run: p.askToken, Off: refused},
			{ID: "authorize", Label: "authorize", Help: "Get a token from the authorization server (OAuth), for example to replace a typed one, and connect again", Words: "oauth login consent", Keys: keys.On("f5"), Footer: 8, Run: p.authorize, Off: func() string {
				return cmp.Or(refused(), keys.Reason(!p.authorizes, "Authorization is off: a header or --token sets the credentials, the server names no authorization server, or that does not register this client."))
			}},
		}, common...)},
		{Name: ofConsent, State: true, Commands: []keys.Command{
			{ID: "open", Verb: keys.Open, Keys: keys.On("enter"), Label: "open page", Help: "Open the consent page in the browser", Words: "browser login", Footer: 10, Run: func() { p.withPage(func(url string) { p.program.AskPage(url, "the authorization server") }) }, Off: asked},
			{ID: "copy", Verb: keys.Copy, Label: "copy URL", Help: "Copy the URL of the consent page", Words: "clipboard", Footer: 12, Run: func() { p.withPage(func(url string) { p.app.Copy(display.Sanitize(url), nil, "address of the page") }) }, Off: asked},
			{ID: "authorize.cancel", Verb: keys.End, Label: "cancel", Help: "Cancel the authorization and connect without a token", Words: "stop abort", Footer: 14, Run: func() { p.s.CancelAuthorization() }, Off: func() string {
				return cmp.Or(asked(), keys.Reason(p.isRecorded(), "The tap waits for the page, not this inspector."))
			}},
		}},
	}
}

// withPage does something with the whole address of the consent page.
func (p *Pane) withPage(use func(url string)) {
	at, _ := p.st.Consent()
	p.program.Consent(at.URL, use)
}

// failed reports whether an expected connection is missing.
func (p *Pane) failed() bool { return p.st.Phase == session.Failed || p.st.Phase == session.Ended }

// Consents reports whether a page waits for the consent of the user.
func (p *Pane) Consents() bool {
	_, waits := p.st.Consent()
	return waits
}

// extension is the additional time for connecting.
const extension = 30 * time.Second

func (p *Pane) extend() {
	if !p.s.Extend(jsonrpc.ID{}, extension) {
		p.app.Say("Nothing is pending.")
	}
}

// see marks the changes as seen.
func (p *Pane) see() {
	p.s.Changes().SeeServer()
	p.s.Store().Notify()
}

// card returns the card of the failure.
func (p *Pane) card() (card.Card, bool) {
	if p.st.Err == nil {
		return card.Card{}, false
	}
	c, ok := failure.CardOf(p.st.Err, p.st.Handshake.Revision)
	if ok && c.Kind == card.Step {
		p.why.AddTo(&c)
	}
	return c, ok
}

// sections in addition to the section of the server
const (
	ofToken   = "server, token required"
	ofConsent = "authorization"
)

// Sections returns all commands.
func (p *Pane) Sections() []keys.Section { return p.sections }

func (p *Pane) section() *keys.Section {
	switch {
	case p.Consents():
		return &p.sections[2]
	case p.tokenRequired():
		return &p.sections[1]
	}
	return &p.sections[0]
}

// Section returns the current subject of the page.
func (p *Pane) Section() string { return p.section().Name }

// Commands implements [app.Pane].
func (p *Pane) Commands() []keys.Command { return p.section().Commands }

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool { return keys.Scroll(p, m) }

// Inside reports whether a detail has the focus: the page has none.
func (p *Pane) Inside() bool { return false }

// Badge returns the mark of the tab: there is no connection, or a consent page is open.
func (p *Pane) Badge() string {
	defer p.newest()()
	if _, waits := p.st.Consent(); waits {
		return "!"
	}
	if p.st.Phase == session.Failed || p.st.Phase == session.Ended {
		return p.fail
	}
	if p.st.Changes != nil && len(p.st.Changes.Server) > 0 {
		return "~" + phrase.Digits(len(p.st.Changes.Server))
	}
	return ""
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	defer p.newest()()
	st := t.State
	if st.Attempt != p.st.Attempt {
		p.keep()
		p.changed, p.next = p.next, ""
		p.waiting.Stop()
		p.finding.Stop()
	}
	if st.Phase != p.st.Phase || st.Attempt != p.st.Attempt {
		if p.back == 0 {
			p.Home()           // it is another page
			p.unfolded = false // the sentence repeats the last step
		}
		p.target = p.s.Target()
		p.stderr.Secrets = p.s.Secrets()
		switch {
		case errors.As(st.Err, new(*oauth.NoMetadataError)):
			p.unannounced = p.target.URL
		case p.run.Credential() == "":
			p.unannounced = ""
		}
		p.authorizes = p.given.Authorization != nil && (p.unannounced == "" || p.unannounced != p.target.URL) && !oauth.RegistersNoClient(st.Err)
		if _, recorded := p.s.Recording(); !recorded {
			p.environ = failure.CompareEnv(os.Environ(), p.target)
		}
	}
	p.st, p.now, p.spin = st, t.Now, t.Spin
	p.stderr.Advance(p.s, st)
	if p.target.IsStdio() {
		p.onStdout.Advance(p.s, st, p.stderr.Secrets)
	}
	if !p.target.IsStdio() {
		p.exchange, _ = p.s.Store().LastExchange()
	}
	rec := p.s.Store()
	p.record = recording{path: rec.Path(), size: rec.Size(), err: rec.Failure(), branch: p.s.Config().Branch}
	if opened, ok := p.s.Recording(); ok {
		p.record.tool, p.record.branch, p.record.skipped, p.record.size = opened.Tool, opened.Branch, opened.Skipped, opened.Size
		p.record.watches = opened.Tap && opened.Growing
	}
	p.as, p.notOfClient = p.s.As()
	p.explain()
	p.compareEntry()
	return p.waiting.Busy() || p.finding.Busy() || !t.Still && (p.st.Phase == session.Connecting || p.authorizing())
}

// explain explains a failure, once.
func (p *Pane) explain() {
	at := moment{p.st.Phase, p.st.Attempt, p.st.Logs, p.st.Process.Exited}
	if at == p.whyOf {
		return
	}
	p.whyOf, p.why = at, failure.Explanation{}
	p.source, p.todo = stderr.Source{}, nil
	if p.st.Phase != session.Failed && p.st.Phase != session.Ended {
		return
	}
	facts := failure.FactsOf(p.s)
	facts.Connected = p.st.Phase == session.Ended
	facts.Steps, facts.Process = p.st.Steps, p.st.Process
	p.why = failure.Explain(p.st.Err, facts)
	p.cannotFind = experiment.WhyNot(p.s, p.st.Err, p.why)
	p.source = stderr.SourceOf(p.stderr.Last(), p.s.Origin())
	p.plan()
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	p.fail = c.Pal.FailMark
	d := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: p.title()}}, nil, focused))
	p.compose(d)
	p.Scroll.Paint(d)
	c.Note(p.note(c.Pal))
}
