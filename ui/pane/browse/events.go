package browse

import (
	"strings"

	"mcptea/session"
	"mcptea/ui/action"
)

// The purposes of references.
const (
	refCall        = "call"
	refReload      = "reload"
	refComplete    = "complete"
	refSubscribe   = "subscribe"
	refUnsubscribe = "unsubscribe"
	refEdit        = "edit"
	refFiles       = "files"
	refContent     = "content"
)

// ref is a reference in actions and events: the pane, the purpose, and the key
// of an entry or the URI of a resource.
func (p *Pane) ref(purpose, key string) string { return p.kind.noun + " " + purpose + " " + key }

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(ev action.Event) {
	switch ev := ev.(type) {
	case action.Started:
		if purpose, key, ok := p.own(ev.Ref); ok {
			p.started(purpose, key, ev.Call)
		}
	case action.Piping:
		if purpose, key, ok := p.own(ev.Ref); ok && purpose == refContent {
			if e := p.entries[key]; e.onShow() != nil {
				e.shown().layers.PushCommand(ev.Line, ev.Output, ev.Stop)
				p.running[key] = e
			}
		}
	case action.Edited:
		if purpose, key, ok := p.own(ev.Ref); ok && purpose == refEdit && p.entries[key] != nil {
			p.entries[key].SetJSON(ev.Text)
		}
	case action.FilesRead:
		if purpose, key, ok := p.own(ev.Ref); ok && purpose == refFiles && p.entries[key] != nil {
			p.filesRead(key, ev)
		}
	}
}

// own splits a reference of this pane.
func (p *Pane) own(ref string) (purpose, key string, ok bool) {
	rest, ok := strings.CutPrefix(ref, p.kind.noun+" ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, " ")
}

// started takes a call that an action of the pane began.
func (p *Pane) started(purpose, key string, c *session.Call) {
	if purpose == refSubscribe || purpose == refUnsubscribe {
		p.pending = append(p.pending, pending{c, key, purpose == refSubscribe})
		return
	}
	e := p.entries[key]
	if e == nil {
		return
	}
	p.running[key] = e
	switch purpose {
	case refCall:
		e.addCall(c)
		p.called[key] = e
	case refContent:
		if e.shown() != nil {
			e.shown().layers.PushCall(c)
		}
	case refReload:
		e.reloadStarted(c)
		p.called[key] = e
	case refComplete:
		e.completionStarted(c)
	}
}
