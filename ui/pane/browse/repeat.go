package browse

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// askRepeat asks how often to send a request, and sends it. before is the id that the params were first sent
// with, or the zero ID.
func (p *Panel) askRepeat(e *Item, method string, params []byte, before jsonrpc.ID) {
	e.repeat.Ask(p.app, func(often string, count int, interval time.Duration) {
		p.app.OnlineRequest(method, params, func() {
			e.repeat.Start(often, p.s.RepeatRequest(count, interval, method, params, before))
			p.running[e.key] = e
		})
	})
}

// cancel stops a repetition or cancels the pending call.
func (p *Panel) cancel(e *Item) {
	if e.repeat.Runs() {
		e.repeat.Repetition.Cancel()
		return
	}
	p.app.Online("Cancel", func() { dialog.Tell(p.app, p.s.Cancel(e.pending().ID)) })
}

// cancels returns the label of the cancel key for the selected item.
func (p *Panel) cancels() string {
	if e := p.selected(); e != nil && e.repeat.Runs() {
		return "stop"
	}
	return "cancel call"
}

// Repetitions calls each for every repetition in progress, with the item's name and the start time.
func (p *Panel) Repetitions(each func(name string, one *session.Repetition, began time.Time)) {
	for _, e := range p.running {
		if e.repeat.Runs() {
			each(e.item.Label(), e.repeat.Repetition, e.repeat.Began)
		}
	}
}
