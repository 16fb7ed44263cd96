// Package sharing asks the user about what others want to do in the session: an agent that
// shares it, a recording that is sent again, an app.
//
// Tests: ui/pane/sharing_test.go, ui/inspector/sharing_test.go
package sharing

import (
	"mcptea/client"
	"mcptea/session/question"
	"mcptea/session/sharing"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// Question waits for the user. Its window has no Accept and Decline yet.
type Question struct {
	ID int
	dialog.Consent
	Allowed, Declined string // what is said then
	AllAllowed        string // what is said after [dialog.Consent.All], which a [Rest] carries out
	Withdrawn         string // what is said when the question ends without the user
}

// Source has questions.
type Source interface {
	Next() (q Question, ok bool) // the oldest one
	Decide(id int, agreed bool)
}

// Rest is a source that can be allowed all questions like one.
type Rest interface {
	Source
	AllowAll(id int)
}

// Questions asks one question after the other.
type Questions struct {
	app  app.Program
	open app.Dialog // the question that was opened last; nil before
	is   Question
}

// New returns the questions of a program.
func New(a app.Program) *Questions { return &Questions{app: a} }

// Look closes the question that has ended, and asks the next one if no window is open.
func (x *Questions) Look(source Source, free bool) {
	q, waiting := source.Next()
	switch {
	case x.open != nil && (!waiting || x.is.ID != q.ID):
		if x.app.Close(x.open) {
			x.app.Say(x.is.Withdrawn)
		}
		x.open = nil
	case waiting && free:
		x.open, x.is = x.ask(source, q), q
	}
}

func (x *Questions) ask(source Source, q Question) app.Dialog {
	decide := func(agreed bool, text string) func() {
		return func() {
			x.open = nil
			source.Decide(q.ID, agreed)
			x.app.Say(text)
		}
	}
	q.Unasked = true
	q.Accept, q.Decline = decide(true, q.Allowed), decide(false, q.Declined)
	if rest, ok := source.(Rest); ok {
		q.AcceptAll = func() {
			x.open = nil
			rest.AllowAll(q.ID)
			x.app.Say(q.AllAllowed)
		}
	}
	return q.Open(x.app)
}

// Agents are the calls of agents that share the session and are not read-only.
type Agents struct {
	*sharing.Session
	Server string // what the calls go to
}

// Next implements [Source].
func (a Agents) Next() (Question, bool) {
	q, ok := a.Session.Next()
	c := dialog.Consent{Text: question.Call(q.Agent+", an agent that shares this session", a.Server, client.Proposal{Calls: q.Tool, Part: "arguments", Text: q.Arguments})}
	c.Title, c.Deadline, c.Expires = "Allow this call?", q.Deadline, "mcptea declines in"
	c.Yes, c.No, c.After = "allow once", "decline", "the agent gets an error"
	return Question{q.ID, c, "The call of the agent is allowed.", "The call of the agent is declined.", "", "The call was not made: the question timed out."}, ok
}
