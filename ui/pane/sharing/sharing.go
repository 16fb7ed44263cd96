// Package sharing asks the user about calls of agents that share the session.
package sharing

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcptea/session/sharing"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// Shared is what agents ask for.
type Shared interface {
	Next() (q sharing.Question, ok bool)
	Decide(id int, agreed bool)
}

// Agents asks about one call after the other.
type Agents struct {
	app  app.Program
	open app.Dialog // the question that was opened last; nil before
	id   int        // of its call
}

// New returns the questions of a program.
func New(a app.Program) *Agents { return &Agents{app: a} }

// Look closes the question whose time is over, and asks the next one if no window is open.
// server is what the calls go to.
func (x *Agents) Look(shared Shared, server string, free bool) {
	q, waiting := shared.Next()
	switch {
	case x.open != nil && (!waiting || x.id != q.ID):
		if x.app.Close(x.open) {
			x.app.Say("The call of the agent was not made: its time is over.")
		}
		x.open = nil
	case waiting && free:
		x.open, x.id = x.ask(shared, q, server), q.ID
	}
}

// ask asks whether an agent may make a call that is not read-only.
func (x *Agents) ask(shared Shared, q sharing.Question, server string) app.Dialog {
	arguments := q.Arguments
	var formatted bytes.Buffer
	if json.Indent(&formatted, []byte(arguments), "", "  ") == nil {
		arguments = formatted.String() // blanks between tokens alone
	}
	decide := func(agreed bool, text string) func() {
		return func() {
			x.open = nil
			shared.Decide(q.ID, agreed)
			x.app.Say(text)
		}
	}
	return dialog.Consent{
		Title: "Allow this call?", Unasked: true, Deadline: q.Deadline, Expires: "mcptea declines in",
		Facts: []dialog.Fact{
			{Label: "from", Text: q.Agent + ", an agent that shares this session"},
			{Label: "calls", Text: q.Tool, Strong: true},
			{Label: "on", Text: server},
		},
		Name: "arguments", Lines: strings.Split(arguments, "\n"),
		Yes: "allow once", No: "decline", After: "the agent gets an error",
		Accept: decide(true, "The agent may make the call."), Decline: decide(false, "The call of the agent is declined."),
	}.Open(x.app)
}
