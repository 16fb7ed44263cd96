package ui

import (
	"fmt"
	"os"

	"mcptea/session/apps"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
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
	facts := []dialog.Fact{{Label: "from", Text: from}}
	switch q.Kind {
	case apps.AskCall:
		ask.Consent = sharingpane.Call(from, x.server, q.Call)
		ask.Title, ask.Yes, ask.No = "Allow this call?", "allow once", "decline"
	case apps.AskLink:
		ask.Consent = dialog.Consent{Facts: facts, Name: "URL", Lines: []string{q.URL}}
		ask.Title, ask.Yes, ask.No = "Open this page in your browser?", "open", "do not open"
	default:
		dir, _ := os.Getwd()
		facts = append(facts, dialog.Fact{Label: "to", Text: dir}, dialog.Fact{Label: "size", Text: paint.HumanSize(int64(q.Size))})
		ask.Consent = dialog.Consent{Facts: facts, Name: "name of the file", Lines: []string{q.Name}}
		ask.Title, ask.Yes, ask.No = "Save this file?", "save", "do not save"
	}
	ask.After, ask.Deadline, ask.Expires = "the app gets an error", q.Deadline, "mcptea declines in"
	return ask, true
}

// Decide decides a question.
func (x appQuestions) Decide(id int, agreed bool) { x.Pane.Decide(id/maxID, id%maxID, agreed) }
