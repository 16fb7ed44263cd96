// Package sharing asks the user about calls of agents that share the session.
package sharing

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"mcptea/session/sharing"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// Shared is what agents ask for, or the calls of a recording that are sent again.
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
			x.app.Say("The call was not made: its time is over.")
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
	c := dialog.Consent{
		Title: "Allow this call?", Unasked: true, Deadline: q.Deadline, Expires: "mcptea declines in",
		Name: "arguments", Lines: strings.Split(arguments, "\n"),
		Yes: "allow once", No: "decline", After: "the agent gets an error",
	}
	from, allowed, declined := q.Agent+", an agent that shares this session", "The agent may make the call.", "The call of the agent is declined."
	if q.From != "" {
		c.Title, c.Deadline, c.Expires, c.Yes, c.No, c.After = "Send this call again?", time.Time{}, "", "send", "leave out", "the frames after it are sent"
		from, allowed, declined = q.From+"; it is not read-only", "The call is sent again.", "The call is left out."
	}
	decide := func(agreed bool, text string) func() {
		return func() {
			x.open = nil
			shared.Decide(q.ID, agreed)
			x.app.Say(text)
		}
	}
	c.Facts = []dialog.Fact{{Label: "from", Text: from}, {Label: "calls", Text: q.Tool, Strong: true}, {Label: "on", Text: server}}
	c.Accept, c.Decline = decide(true, allowed), decide(false, declined)
	return c.Open(x.app)
}
