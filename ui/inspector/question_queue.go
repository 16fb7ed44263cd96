package inspector

import (
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// An askedQuestion is a question that waits for the user. Its window has no Accept and Decline yet.
type askedQuestion struct {
	ID int
	dialog.Consent
	Allowed, Declined string // messages after the answer
	AllAllowed        string // message after [dialog.Consent.All], which an [allowingSource] carries out
	Withdrawn         string // message when the question ends without the user
}

// A questionSource provides questions.
type questionSource interface {
	Next() (q askedQuestion, ok bool) // the oldest one
	Decide(id int, agreed bool)
}

// An allowingSource is a source that can allow all questions of a kind.
type allowingSource interface {
	questionSource
	AllowAll(id int)
}

// A questionQueue asks one question after another.
type questionQueue struct {
	app  app.Program
	open app.Dialog // last opened question, or nil
	is   askedQuestion
}

// newQuestionQueue returns an empty queue.
func newQuestionQueue(a app.Program) *questionQueue { return &questionQueue{app: a} }

// Look closes a question that has ended, and asks the next one if no window is open.
func (x *questionQueue) Look(source questionSource, free bool) {
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

func (x *questionQueue) ask(source questionSource, q askedQuestion) app.Dialog {
	decide := func(agreed bool, text string) func() {
		return func() {
			x.open = nil
			source.Decide(q.ID, agreed)
			x.app.Say(text)
		}
	}
	q.Unasked = true
	q.Accept, q.Decline = decide(true, q.Allowed), decide(false, q.Declined)
	if rest, ok := source.(allowingSource); ok {
		q.AcceptAll = func() {
			x.open = nil
			rest.AllowAll(q.ID)
			x.app.Say(q.AllAllowed)
		}
	}
	return q.Open(x.app)
}
