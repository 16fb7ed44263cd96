package server

import (
	"errors"
	"os"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/session/stderr"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/markdown"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// Session is what the page reads besides the state.
type Session = *session.Session

// Pane is the page. It belongs to the goroutine that draws.
type Pane struct {
	s       Session
	target  client.Target
	environ string // how it differs from our own
	home    string

	st         session.State
	now        time.Time
	spin       int
	exchange   transport.Exchange
	record     recording
	stderr     tail
	why        failure.Explanation
	whyOf      moment
	source     string // a file that the lines on stderr name; empty without one
	sourceLine int
	onStdout   stray
	endTold    int // the attempt to connect whose end News has told

	top, height, lines int
	wrapped            wrapping
	instructed         markdown.Text
	unfolded           bool // the steps of a failure are shown
	stepsLine          int  // their row

	token       input.Input // while it is typed
	typingToken bool
	tokenLine   int // where it was painted: its line, the column of the text, the cursor in that
	tokenX      int
	tokenAt     int
	margin      int
	authorizes  bool // an authorization may get a token

	fail string // the mark for the tab
}

// recording is where the record goes.
type recording struct {
	path string
	size int64
	err  error
	// These are of a recording that was opened.
	tool, skipped string
}

// moment is what an explanation depends on; another one asks for a new one.
type moment struct {
	phase   session.Phase
	attempt int
	logs    int
	exited  time.Time
}

// New returns the page about a session.
func New(s Session) *Pane {
	p := &Pane{s: s, target: s.Target(), fail: "✗"}
	p.stderr.secrets = p.target.Secrets()
	p.home, _ = os.UserHomeDir() // without one, paths are shown whole
	if _, recorded := s.Recording(); !recorded {
		p.environ = failure.CompareEnv(os.Environ(), p.target.Env)
	}
	return p
}

// Context implements the contract of panes.
// Enter means to connect only while there is no connection: it is pressed in
// passing too often to end a server with it.
func (p *Pane) Context() command.Context {
	if _, waits := p.consent(); waits {
		return command.Authorize
	}
	switch {
	case p.typingToken:
		return command.TokenText
	case p.st.Phase == session.Ready:
		return command.Connected
	case p.st.Phase == session.Connecting:
		return command.Connecting
	case p.tokenRequired():
		return command.Unauthorized
	}
	return command.Server
}

// Advice lists the commands that help after a failure.
func (p *Pane) Advice() []command.ID {
	if p.typingToken || p.st.Phase != session.Failed && p.st.Phase != session.Ended {
		return nil
	}
	var ids []command.ID
	if p.tokenRequired() {
		ids = append(ids, command.PasteToken)
		if p.authorizes {
			ids = append(ids, command.AuthorizeAgain)
		}
	}
	ids = append(ids, command.Reconnect)
	if p.source != "" {
		ids = append(ids, command.OpenSource)
	}
	ids = append(ids, command.ToggleFold, command.CopyReport)
	if p.stderr.total > 0 {
		ids = append(ids, command.TabLogs)
	}
	if _, ok := failure.CardOf(p.st.Err, p.st.Handshake.Revision); ok {
		ids = append(ids, command.Explain)
	}
	return ids
}

// Click implements the contract of panes.
func (p *Pane) Click(int, int) action.Action { return nil }

// Busy reports whether a step runs, so that its clock and its spinner move.
func (p *Pane) Busy() bool { return p.st.Phase == session.Connecting || p.authorizing() }

// Badge is the mark for the tab: that there is no connection, or that a consent
// page is open.
func (p *Pane) Badge() string {
	if _, waits := p.consent(); waits {
		return "!"
	}
	if p.st.Phase == session.Failed || p.st.Phase == session.Ended {
		return p.fail
	}
	if p.st.Changes != nil && len(p.st.Changes.Server) > 0 {
		return "~" + paint.HumanCount(len(p.st.Changes.Server))
	}
	return ""
}

// Refresh takes note of what is new. now is the time for the running clocks.
func (p *Pane) Refresh(st session.State, _ []store.Flow, now time.Time, spin int) {
	if st.Phase != p.st.Phase || st.Attempt != p.st.Attempt {
		p.top = 0 // another page
		p.target = p.s.Target()
		p.stderr.secrets = p.target.Secrets()
		p.authorizes = p.s.Config().Authorization != nil && !errors.As(st.Err, new(*oauth.NoMetadataError))
		p.stopToken()
	}
	p.st, p.now, p.spin = st, now, spin
	p.stderr.advance(p.s, st)
	if p.target.IsStdio() {
		p.onStdout.advance(p.s, st, p.stderr.secrets)
	}
	if !p.target.IsStdio() {
		p.exchange, _ = p.s.Store().LastExchange()
	}
	rec := p.s.Store()
	p.record = recording{path: rec.Path(), size: rec.Size(), err: rec.Failure()}
	if opened, ok := p.s.Recording(); ok {
		p.record.tool, p.record.skipped, p.record.size = opened.Tool, opened.Skipped, opened.Size
	}
	p.explain()
}

// explain looks for the words on a failure, once for each.
func (p *Pane) explain() {
	at := moment{p.st.Phase, p.st.Attempt, p.st.Logs, p.st.Process.Exited}
	if at == p.whyOf {
		return
	}
	p.whyOf, p.why = at, failure.Explanation{}
	p.source, p.sourceLine = "", 0
	if p.st.Phase != session.Failed && p.st.Phase != session.Ended {
		return
	}
	facts := failure.FactsOf(p.s)
	facts.Connected = p.st.Phase == session.Ended
	facts.Steps, facts.Process = p.st.Steps, p.st.Process
	p.why = failure.Explain(p.st.Err, facts)
	p.source, p.sourceLine = stderr.Source(p.stderr.last(stderrKept), p.st.Process.Dir)
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Reconnect:
		return action.Restart{}
	case command.ToggleFold:
		p.toggleSteps()
		return nil
	case command.PasteToken:
		p.startToken()
		return nil
	case command.AuthorizeAgain:
		if p.s.Config().Authorization == nil {
			return action.Flash{Text: "authorization is off, because a header or --token sets the credentials", Wrong: true}
		}
		return action.SetToken{}
	case command.ExtendTimeout:
		return action.ExtendTimeout{}
	case command.CopyReport:
		return action.Copy{Text: p.Report(), What: "report"}
	case command.CompareRevisions:
		return action.Compare{}
	case command.OpenSource:
		if p.source == "" {
			return action.Flash{Text: "no line on stderr names a source file"}
		}
		return action.OpenFile{Path: p.source, Line: p.sourceLine}
	case command.SeeChanges:
		return action.SeeChange{}
	case command.Explain:
		return p.card()
	case command.OpenConsentPage, command.CopyConsentURL, command.CancelAuthorization:
		return p.doConsent(name)
	case command.Back:
		return action.Leave{}
	}
	p.move(name)
	return nil
}

// card is that of what went wrong.
func (p *Pane) card() action.Action {
	c, ok := failure.CardOf(p.st.Err, p.st.Handshake.Revision)
	if !ok {
		return action.Flash{Text: "there is no explanation for this"}
	}
	return action.Explain{Card: c}
}

func (p *Pane) move(name command.ID) {
	page := max(1, p.height-1)
	by, _ := command.Steps(name, page, max(1, page/2), max(p.lines, p.top))
	p.top += by
	p.clamp()
}

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(_, _, n int) {
	p.top += n
	p.clamp()
}

func (p *Pane) clamp() { p.top = max(0, min(p.top, p.lines-p.height)) }

// Height is how many rows the page needs to be seen whole, at a width of w cells.
func (p *Pane) Height(pal *paint.Palette, w int) int {
	pg, _ := p.laidOut(pal, w, mostHeight)
	return pg.height() + 2
}

// mostHeight is how many rows a failure is laid out for where there is room.
const mostHeight = 28

// laidOut is the page for a window of some rows, with the margin left and right
// of it.
func (p *Pane) laidOut(pal *paint.Palette, w, room int) (pg page, margin int) {
	margin = 1
	if w >= 100 {
		margin = 2
	}
	s := &sheet{pal: pal, w: max(1, w-2-2*margin), room: room}
	if fails := p.st.Phase == session.Failed || p.st.Phase == session.Ended; room > 14 && !fails {
		s.blank()
	}
	return p.compose(s), margin
}

// Paint paints the page: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	p.fail = pal.FailMark
	p.height = max(0, h-2)
	pg, margin := p.laidOut(pal, w, p.height)
	p.margin = margin
	p.lines = pg.height()
	p.clamp()
	body := make([]string, 0, p.height)
	var r paint.Row
	for i := p.top; i < p.lines && len(body) < p.height; i++ {
		body = append(body, pg.row(&r, i, margin))
	}
	title, note := p.title(pal)
	return paint.Box(pal, w, h, focused, title, note, body)
}
