package ui

import (
	"fmt"

	"mcptea/session/runs/branch"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	sharingpane "mcptea/ui/pane/sharing"
)

// resending are the calls of a recording that the user has to decide about.
type resending struct {
	*branch.Branch
	server string // what the calls go to
}

// Next returns the oldest one.
func (a resending) Next() (sharingpane.Question, bool) {
	q, ok := a.Question()
	c := dialog.Call(q.From+"; it is not read-only", a.server, q.Call)
	c.Title, c.Yes, c.No, c.After = "Send this call again?", "send", "leave out", "the frames after it are sent"
	all := ""
	if q.Tool != "" {
		c.All, all = "send all of this tool", "All calls of "+paint.Sanitize(q.Tool)+" in this branch are sent again."
	}
	return sharingpane.Question{ID: q.ID, Consent: c, AllAllowed: all, Allowed: "The call is sent again.", Declined: "The call is left out.", Withdrawn: "The call was not sent: the connection has ended."}, ok
}

// branchAgain ends the session and goes on from the recording before a frame again.
func (m *model) branchAgain(until int) { m.connectTo(ConnectTo{Continue: true, Until: until}) }

// continueRecording asks for a server that the recording goes on with, before the request
// of the selected frame.
func (m *model) continueRecording(rec *session.Recording) {
	row := max(m.wire.traffic.Selected(), 0)
	if request, _ := m.session.Store().Related(row); request >= 0 {
		row = request
	}
	until := int(row) + 1
	if until < 2 { // nothing is before it
		m.askForTarget("Connect", rec.Target, ConnectTo{})
		return
	}
	m.askForTarget(fmt.Sprintf("Go on before frame #%d", until), rec.Target, ConnectTo{Continue: true, Until: until})
}

// branchName is what the header says of a branch; empty for another session.
func (m *model) branchName() string {
	if b := m.options.Branch; b != nil {
		return "branch " + b.Name + " of " + b.Origin()
	}
	return ""
}
