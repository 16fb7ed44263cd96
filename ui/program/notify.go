package program

import (
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/ui/terminal"
)

// LongWork is the minimum duration of work whose end is reported to a user who is looking elsewhere.
const LongWork = 10 * time.Second

// Notify makes the terminal show a notification, if its window has reported that it does not have the focus.
// The text may be untrusted.
func (p *Program) Notify(text string) {
	if p.blurred && !p.options.Quiet {
		p.Do(terminal.Notify(p.Screen.Title(), text))
	}
}

// Away reports whether the terminal has reported that its window does not have the focus.
func (p *Program) Away() bool { return p.blurred }

// Ended implements [app.Notified].
func (p *Program) Ended(what, how string, took time.Duration) {
	if took >= LongWork {
		p.Notify(what + ": " + how + " after " + phrase.Took(took))
	}
}
