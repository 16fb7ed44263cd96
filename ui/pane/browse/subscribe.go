package browse

import (
	"mcptea/session"
	"mcptea/ui/action"
)

// subscription is how things stand with the changes of one resource.
type subscription struct {
	on      bool
	refused string // why the last attempt did not work
}

// pending is a subscribe or unsubscribe request without a response.
type pending struct {
	call *session.Call
	uri  string
	on   bool
}

// subscribe subscribes to the updates of a resource, or unsubscribes.
func (p *Pane) subscribe(e *entry) action.Action {
	if e.item.Kind != "resources" {
		return action.Flash{Text: "only resources can be subscribed to"}
	}
	uri := e.item.URI
	on := !p.subscribed[uri].on
	purpose := refUnsubscribe
	if on {
		purpose = refSubscribe
	}
	return action.Subscribe{Ref: p.ref(purpose, uri), URI: uri, On: on}
}

// takePending takes note of the answers.
func (p *Pane) takePending() {
	rest := p.pending[:0]
	for _, w := range p.pending {
		if w.call.Running() {
			rest = append(rest, w)
			continue
		}
		answer, err := w.call.Outcome()
		if err == nil {
			err = answer.Err()
		}
		s := subscription{on: w.on}
		if err != nil {
			s = subscription{on: !w.on, refused: err.Error()}
		}
		p.subscribed[w.uri] = s
	}
	p.pending = rest
}
