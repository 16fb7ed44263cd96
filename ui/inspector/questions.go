package inspector

import (
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/apps"
	"mcptea/session/question"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/pins"
	"mcptea/session/sharing"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	appspane "mcptea/ui/pane/apps"
)

// maxID is greater than the number of questions that one app can ask.
const maxID = 1 << 20

// appQuestions provides the questions about actions of apps.
type appQuestions struct {
	*appspane.Pane
	server string // server that receives the calls
}

// Next returns the oldest question.
func (x appQuestions) Next() (askedQuestion, bool) {
	of, q, st := x.Question()
	if st == nil {
		return askedQuestion{}, false
	}
	from := fmt.Sprintf("%s, the app of the tool %s", appspane.Name(st), st.Tool)
	ask := askedQuestion{
		ID: of*maxID + q.ID, Allowed: "The app may do it.", Declined: "The app gets an error.",
		Withdrawn: "The app gets an error: the question timed out.",
	}
	ask.Consent = appQuestion(from, x.server, q)
	return ask, true
}

// appQuestion returns the window of a question of an app.
func appQuestion(from, server string, q apps.Question) dialog.Consent {
	c := dialog.Consent{Text: q.Consent(from, server), After: "the app gets an error", Deadline: q.Deadline, Expires: "mcptea declines in"}
	switch q.Kind {
	case apps.AskCall:
		c.Title, c.Yes, c.No = "Allow this call?", "allow once", "decline"
	case apps.AskLink:
		c.Title, c.Yes, c.No = "Open this page in your browser?", "open", "do not open"
	default:
		c.Title, c.Yes, c.No = "Save this file?", "save", "do not save"
	}
	return c
}

// Decide decides a question.
func (x appQuestions) Decide(id int, agreed bool) { x.Pane.Decide(id/maxID, id%maxID, agreed) }

// resending provides the questions about calls of a recording.
type resending struct {
	*branch.Branch
	server string // server that receives the calls
}

// Next returns the oldest question.
func (a resending) Next() (askedQuestion, bool) {
	q, ok := a.Question()
	c := dialog.Consent{Text: question.Call(q.From+"; it is not read-only", a.server, q.Call)}
	c.Title, c.Yes, c.No, c.After = "Send this call again?", "send", "skip", "the frames after it are sent"
	all := ""
	if q.Tool != "" {
		c.All, all = "send all of this tool", "All calls of "+display.Sanitize(q.Tool)+" in this branch are sent again."
	}
	return askedQuestion{ID: q.ID, Consent: c, AllAllowed: all, Allowed: "The call is sent again.", Declined: "The call is skipped.", Withdrawn: "The call was not sent: the connection has ended."}, ok
}

// askPage asks before it opens a page that a server has named.
func (m *model) askPage(url, from string) {
	dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "from", Text: from}, {Label: "opens in", Text: "your browser"}},
			Name:  "address", Lines: []string{url}, Blanks: true,
		},
		Title: "Open this page?", Yes: "open", No: "do not open",
		Accept: func() { m.OpenPage(url) },
	}.Open(m.app())
}

// Quit implements [program.Screen]. It ends the program, after a question while requests are
// pending. ctrl+c twice ends it without one.
func (m *model) Quit(interrupt bool) {
	// The lists that the program fetches do not count.
	waiting := m.session.Running()
	if waiting == 0 {
		m.Do(tea.Quit)
		return
	}
	c := m.endQuestion("Quit?", "quit", waiting, func() { m.Do(tea.Quit) })
	c.Interrupt = interrupt
	if len(m.Around.Sessions()) > 1 {
		c.Title, c.Yes, c.After = "End this session?", "end it", "the others continue either way"
	}
	c.Open(m.app())
}

// askToEnd calls do, which ends the connection, after a question while requests are pending. It does not ask if
// a restart already waits for them, because that was shown.
func (m *model) askToEnd(title, yes string, do func()) {
	waiting := m.session.Running()
	if waiting == 0 || m.restartWaits() {
		do()
		return
	}
	m.endQuestion(title, yes, waiting, do).Open(m.app())
}

// endQuestion returns the question before do ends a connection with pending requests.
func (m *model) endQuestion(title, yes string, waiting int, do func()) dialog.Consent {
	return dialog.Consent{
		Title: title, Text: question.Text{Facts: []question.Fact{{Label: "pending", Text: lostByQuitting(waiting, m.session.Target())}}}, Yes: yes, No: "stay",
		Accept: do,
	}
}

// lostByQuitting returns the consequence of quitting for pending requests.
func lostByQuitting(waiting int, target client.Target) string {
	text := phrase.Count(waiting, "request") + "." // the label tells that they are pending
	if target.URL != "" {
		return text + " The connection will be closed; the server keeps running."
	}
	return text + " The server will be stopped."
}

// askAboutPins asks whether to send pins that refer to something outside of their file.
func (m *model) askAboutPins() {
	q := m.pins.Question()
	switch {
	case m.pinsQuestion != nil && m.pinsAsked != q:
		m.app().Close(m.pinsQuestion) // the file has changed
		m.pinsQuestion = nil
	case q != nil && m.Window() == nil:
		m.pinsQuestion, m.pinsAsked = m.askPins(q), q
	}
}

func (m *model) askPins(q *pins.Question) app.Dialog {
	path, err := filepath.Abs(q.Path)
	if err != nil {
		path = q.Path
	}
	decide := func(agreed bool) func() {
		return func() {
			m.pinsQuestion = nil
			m.pinned.Decide(q, agreed)
		}
	}
	title := "Send these pinned requests?"
	if !slices.ContainsFunc(q.Pins, func(one pins.Pin) bool { return !one.Outside.Empty() }) {
		title = "Run these calls after each restart?"
	}
	o := dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "from", Text: path}, {Label: "to", Text: m.state.Handshake.Server.String() + " " + m.session.Target().String()}},
			Name:  "requests of the file",
		},
		Title: title, Unasked: true,
		Yes: "send, now and after each restart", No: "do not send", After: "enter on a pin asks again",
		Accept: decide(true), Decline: decide(false),
	}
	var variables, files []string
	for _, one := range q.Pins {
		o.Lines = append(o.Lines, one.Outside.Request)
		variables, files = append(variables, one.Outside.Variables...), append(files, one.Outside.Files...)
	}
	for _, list := range []struct {
		label string
		names []string
	}{{"variable", variables}, {"file", files}} {
		slices.Sort(list.names)
		for _, name := range slices.Compact(list.names) {
			o.Facts = append(o.Facts, question.Fact{Label: list.label, Text: name})
		}
	}
	return o.Open(m.app())
}

// askUser asks about the actions of others in the session.
func (m *model) askUser() {
	server := m.state.Handshake.Server.String() + " " + m.session.Target().String()
	if b := m.options.Branch; b != nil {
		m.calling.Look(resending{b, server}, m.Window() == nil)
	}
	if shared := m.options.Sharing; shared != nil {
		m.agents.Look(sharedCalls{Session: shared, Server: server}, m.Window() == nil)
	}
	m.appsAsk.Look(appQuestions{m.apps, server}, m.Window() == nil)
}

// sharedCalls provides the questions about calls that agents send in the session and that are not read-only.
type sharedCalls struct {
	*sharing.Session
	Server string // server that receives the calls
}

// Next implements [questionSource].
func (a sharedCalls) Next() (askedQuestion, bool) {
	q, ok := a.Session.Next()
	c := dialog.Consent{Text: question.Call(q.Agent+", an agent that shares this session", a.Server, client.Proposal{Calls: q.Tool, Part: "arguments", Text: q.Arguments})}
	c.Title, c.Deadline, c.Expires = "Allow this call?", q.Deadline, "mcptea declines in"
	c.Yes, c.No, c.After = "allow once", "decline", "the agent gets an error"
	return askedQuestion{q.ID, c, "The call of the agent is allowed.", "The call of the agent is declined.", "", "The call was not made: the question timed out."}, ok
}
