package ui

import (
	"fmt"

	"mcptea/ui/dialog"
	appspane "mcptea/ui/pane/apps"
	sharingpane "mcptea/ui/pane/sharing"
)

// maxID is more than the questions that one app can ask.
const maxID = 1 << 20

// appQuestions are what apps may do only if the user agrees.
type appQuestions struct {
	*appspane.Pane
	server string // what calls go to
}

// Next returns the oldest one.
func (x appQuestions) Next() (sharingpane.Question, bool) {
	of, q, st := x.Question()
	if st == nil {
		return sharingpane.Question{}, false
	}
	from := fmt.Sprintf("%s, the app of the tool %s", appspane.Name(st), st.Tool)
	ask := sharingpane.Question{
		ID: of*maxID + q.ID, Allowed: "The app may do it.", Declined: "The app gets an error.",
		Withdrawn: "The app gets an error: the time for the question is over.",
	}
	ask.Consent = dialog.AppQuestion(from, x.server, q)
	return ask, true
}

// Decide decides a question.
func (x appQuestions) Decide(id int, agreed bool) { x.Pane.Decide(id/maxID, id%maxID, agreed) }
