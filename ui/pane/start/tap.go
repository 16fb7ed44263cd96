package start

import (
	"context"

	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// Tap has the host of an entry run its server through mcptea tap, or no longer.
type Tap struct {
	Verb string // its action, such as "record with tap"
	// Change returns the change to write. It runs outside of Update.
	Change func(context.Context) (*Change, error)
}

// Change is a change of the configuration of a host. Its texts are untrusted.
type Change struct {
	// Question describes the change. Its notes are what the user must know before.
	Question question.Text
	// Write writes it, and returns a sentence about it. It runs outside of Update.
	Write func() (said string, err error)
}

// taps returns the label of the tap key for an entry, which may be nil.
func (e *Entry) taps() string {
	if e == nil || e.Tap == nil {
		return "record"
	}
	return e.Tap.Verb
}

// tap shows the change that an entry needs, and writes it if the user agrees.
func (p *Pane) tap(t *Tap) {
	dialog.Try(p.app, t.Change, func(c *Change) {
		dialog.Consent{
			Text:  c.Question,
			Title: phrase.Capital(t.Verb) + ": write this change?",
			Yes:   "write it", No: "cancel", After: "nothing is written",
			Accept: func() {
				dialog.Try(p.app, func(context.Context) (string, error) { return c.Write() }, func(said string) {
					p.Load()
					p.app.Say(said)
				})
			},
			Decline: func() { p.app.Say("Nothing was written.") },
		}.Open(p.app)
	})
}
