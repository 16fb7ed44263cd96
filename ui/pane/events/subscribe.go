package events

import (
	"slices"

	"mcptea/client/revision"
	"mcptea/session/events"
	"mcptea/ui/keys"
)

// opens returns the label of enter on the selected type.
func (p *Pane) opens() string {
	k, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case p.active(k) != nil, len(k.subs) > 0 && k.Len() == 0:
		return "events"
	case k.Len() > 0:
		return "arguments"
	}
	return "listen"
}

func (p *Pane) open(k *kind) {
	switch p.opens() {
	case "events":
		k.inArguments = false
		p.Enter()
	case "arguments":
		p.toArguments(k)
	default:
		p.listen(k)
	}
}

// toArguments focuses the form.
func (p *Pane) toArguments(k *kind) {
	k.inArguments = true
	p.Enter()
	k.ToEnd()
}

func (p *Pane) noArguments(k *kind) string {
	return keys.Reason(k.Len() == 0, "This event type has no arguments.")
}

// active returns the visible subscription, unless it has ended.
func (p *Pane) active(k *kind) *events.State {
	if s := p.shown(k); s != nil && s.Phase != events.Ended {
		return s
	}
	return nil
}

// again returns the label of a command that subscribes: beside a live subscription it begins another one.
func (p *Pane) again(label string) string {
	if k, ok := p.Selected(); ok && p.active(k) != nil {
		return label + " again"
	}
	return label
}

func (p *Pane) cannotListen(k *kind) string {
	return keys.Reason(k.Mode() == "", "This event type is delivered only by webhooks: "+p.app.Key("event.webhook")+" receives them.")
}

func (p *Pane) cannotPoll(k *kind) string {
	return keys.Reason(!k.Offers(revision.DeliveryPoll), "This event type is not delivered by poll.")
}

func (p *Pane) listen(k *kind) { p.subscribe(k, k.Mode()) }
func (p *Pane) poll(k *kind)   { p.subscribe(k, revision.DeliveryPoll) }

// subscribe follows the events of a type with the arguments of the form.
func (p *Pane) subscribe(k *kind, mode string) {
	values, send := k.Check()
	if !send {
		p.toArguments(k)
		return
	}
	p.app.Online("Listen for events", func() {
		f := p.s.Events().Follow(events.Options{Params: events.Params{Name: k.Name, Arguments: values}, Mode: mode})
		p.followers[f.Number()] = f
		k.at, k.inArguments = f.Number(), false
		p.Enter()
	})
}

func (p *Pane) noSubscription(k *kind) string {
	s := p.active(k)
	switch {
	case s == nil:
		return "No subscription to this event type is live."
	case p.followers[s.Number] == nil:
		return "This subscription is not one of this pane: end it where it began, or cancel its request in Traffic."
	}
	return ""
}

func (p *Pane) stop(k *kind) { p.followers[p.active(k).Number].Stop() }

func (p *Pane) oneSubscription(k *kind) string {
	return keys.Reason(len(k.subs) < 2, "There is no other subscription to this event type.")
}

// nextSubscription shows the next subscription, and after the newest one the oldest.
func (p *Pane) nextSubscription(k *kind) {
	now := p.shown(k).Number
	at := slices.IndexFunc(k.subs, func(i int) bool { return p.subs[i].Number == now })
	k.at = p.subs[k.subs[(at+1)%len(k.subs)]].Number
	p.read(k)
}

// enters returns the label of enter in the detail.
func (p *Pane) enters() string {
	if k, ok := p.Selected(); ok && k.inArguments {
		return "" // event.listen also has this label
	}
	return "frame"
}

func (p *Pane) enter(k *kind) {
	if k.inArguments {
		p.listen(k)
		return
	}
	p.frame(k)
}

// frame shows the frame of the selected entry.
func (p *Pane) frame(k *kind) {
	e, ok := k.log.selected()
	switch {
	case !ok:
		p.app.Say("Nothing has arrived yet.")
	case e.Row < 0:
		p.app.Say("No frame says so: mcptea itself has found it.")
	default:
		p.app.ShowFrame(e.Row)
	}
}

func (p *Pane) noEntry(k *kind) string {
	e, ok := k.log.selected()
	return keys.Reason(!ok || e.Kind != events.Occurred, "No event is selected.")
}

func (p *Pane) copy(k *kind) {
	e, _ := k.log.selected()
	p.app.Copy(string(e.Event.Raw), nil, "event")
}
