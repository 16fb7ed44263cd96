// Package events implements the pane of a server's event types (SEP-3415): their arguments, the subscriptions
// to them, and the events received.
//
// Tests: ui/inspector/events_test.go
package events

import (
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
	"mcptea/internal/words/search"
	"mcptea/offer"
	"mcptea/session/events"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses.
type Session interface {
	Events() *events.Tracker
	// Hide masks a value in everything that the session records after the call.
	Hide(value string)
}

// Pane is the list of the event types, with the selected one in full.
type Pane struct {
	page.Page[*kind, string]
	app app.App
	s   Session

	kinds     []*kind
	subs      []events.State // oldest first
	offered   bool
	latest    offer.List // at the last refresh
	tick      app.Tick
	followers map[int]*events.Follower // followers by the number of the subscription
	receivers map[int]*received        // webhook receivers, by the number of the subscription
}

// kind is an event type.
type kind struct {
	events.Type
	form.Form   // form of the arguments
	listed      bool
	subs        []int // indexes of its subscriptions in subs, oldest first
	at          int   // number of the visible subscription; 0 is the newest
	inArguments bool
	log         log
}

// New returns the pane over the events of a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s, followers: map[int]*events.Follower{}, receivers: map[int]*received{}}
	p.Init(page.Spec[*kind, string]{
		Noun: "event type", Title: func() []paint.Span { return []paint.Span{{Text: "Events"}} }, Note: p.note, Empty: p.empty,
		Len: func() int { return len(p.kinds) }, At: func(i int) *kind { return p.kinds[i] }, Key: func(k *kind) string { return k.Name },
		Spaced: true,
		Columns: []widget.Column[*kind]{
			{Cell: name, Below: delivery},
			{Width: 12, Right: true, Cell: p.eventCounts},
		},
		Match: func(words string) func(*kind) bool {
			typed := search.Of(words)
			return func(k *kind) bool { return typed.In(k.Name, k.Description) }
		},
		Detail: func(k *kind) app.Pane { return detail{p, k} }, Open: p.open,
		Layout: page.Layout{Beside: 90, Alone: 90, Height: 30},
	})
	stop := p.Do(keys.Command{ID: "subscription.end", Verb: keys.End, Label: "end", Help: "End the subscription", Words: "unsubscribe cancel listen events", Footer: 11}, p.stop, p.noSubscription)
	send := keys.Command{ID: "event.listen", Keys: keys.On("ctrl+s"), Label: "listen", Now: func() string { return p.again("listen") }, Help: "Subscribe with these arguments: by push, or else by poll", Words: "subscribe stream poll push events", Footer: 12}
	poll := keys.Command{ID: "event.poll", Keys: keys.On("ctrl+r"), Label: "poll", Now: func() string { return p.again("poll") }, Help: "Subscribe with these arguments by poll, also where push is offered", Words: "subscribe events", Footer: 40}
	hook := keys.Command{ID: "event.webhook", Verb: keys.Write, Label: "webhook", Help: "Subscribe with these arguments by webhook: a listener on this machine, behind your tunnel, receives the events", Words: "subscribe callback tunnel receive deliveries", Footer: 22}
	secret := keys.Command{ID: "event.secret", Label: "show secret", Help: "Show the secret of the webhook, once", Words: "whsec key signature webhook"}
	rotate := keys.Command{ID: "event.rotate", Label: "rotate secret", Help: "Renew the webhook with another secret; the previous secret verifies until the next rotation", Words: "whsec key signature webhook new"}
	respond := keys.Command{ID: "event.respond", Label: "refuse on purpose", Help: "Choose what the next deliveries are answered with: a status, a delay, a redirect, another challenge", Words: "webhook status 500 410 redirect retry fault respond"}
	p.Name, p.Own = "events", []keys.Command{
		p.Do(keys.Command{ID: "event.open", Keys: keys.On("enter right"), Label: "arguments/events", Now: p.opens, Help: "Go to the arguments, or listen if there are none to fill in; with a subscription, go to its events", Footer: 10}, p.open),
		p.Do(send, p.listen, p.cannotListen), p.Do(poll, p.poll, p.cannotPoll), stop,
		p.Do(hook, p.receive, p.cannotReceive), p.Do(secret, p.showSecret, p.noSecret), p.Do(rotate, p.rotate, p.notReceived), p.Do(respond, p.respond, p.notReceived),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the event types by words", Footer: 30, Run: p.StartFilter},
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy name", Help: "Copy the name of the event type", Words: "clipboard", Footer: 34}, func(k *kind) { a.Copy(k.Name, nil, "name of the event type") }),
	}
	p.Inner = keys.Section{Name: "an event type", Commands: []keys.Command{
		p.Do(keys.Command{ID: "event.enter", Keys: keys.On("enter"), Label: "frame", Now: p.enters, Help: "Show the frame of the selected event; in the arguments listen with them", Footer: 10}, p.enter),
		p.Do(send, p.listen, p.cannotListen), p.Do(poll, p.poll, p.cannotPoll), stop,
		p.Do(hook, p.receive, p.cannotReceive), p.Do(secret, p.showSecret, p.noSecret), p.Do(rotate, p.rotate, p.notReceived), p.Do(respond, p.respond, p.notReceived),
		p.Do(keys.Command{ID: "edit", Verb: keys.Edit, Label: "arguments", Help: "Go to the arguments", Words: "form change", Footer: 16}, p.toArguments, p.noArguments),
		p.Do(keys.Command{ID: "subscription.next", Keys: keys.On("]"), Label: "next subscription", Help: "Show the next subscription to the event type", Words: "other stream", Footer: 18}, p.nextSubscription, p.oneSubscription),
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the selected event", Words: "clipboard", Footer: 20}, p.copy, p.noEntry),
	}}
	return p
}

// Present reports whether the server has events.
func (p *Pane) Present() bool { return len(p.kinds) > 0 || p.offered }

// Empty reports whether there are no event types.
func (p *Pane) Empty() bool { return len(p.kinds) == 0 }

// Badge returns the number of received events, or before the first one the number of types.
func (p *Pane) Badge() string {
	n := 0
	for i := range p.subs {
		n += p.subs[i].Events
	}
	if n == 0 {
		n = len(p.kinds)
	}
	return phrase.Badge(n)
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.tick = t
	l := t.State.Lists[client.Events.Name]
	p.offered = l.Offered
	if !l.HasItemsOf(p.latest) {
		p.latest = l
		types := make([]events.Type, len(l.Items))
		for i, item := range l.Items {
			types[i] = events.ReadType(item.Raw)
		}
		p.setTypes(types)
	}
	live := false
	if p.Present() || p.offered {
		p.subs = p.s.Events().All()
		live = p.assign()
	}
	p.Changed()
	if k, ok := p.Selected(); ok {
		p.read(k)
	}
	return p.Page.Refresh(t) || live && !t.Still
}

// setTypes applies a new list and keeps the values filled in.
func (p *Pane) setTypes(types []events.Type) {
	before := p.kinds
	p.kinds = nil
	for _, t := range types {
		at := slices.IndexFunc(before, func(k *kind) bool { return k.Name == t.Name })
		var k *kind
		if at >= 0 {
			k = before[at]
		} else {
			k = p.newKind(t)
		}
		k.listed = true
		if k.Form.Tree == nil || string(k.Input) != string(t.Input) {
			k.RowByRow = true
			k.Whole = form.Whole(t.Input, true)
			k.Take(schema.Parse(t.Input))
		}
		k.Type = t
		if !slices.Contains(p.kinds, k) { // a name that is listed twice is one row
			p.kinds = append(p.kinds, k)
		}
	}
}

// assign assigns the subscriptions to their types. A subscription to an unlisted type gets its own row. It
// reports whether one of them is live, so that its clock runs.
func (p *Pane) assign() (live bool) {
	p.kinds = slices.DeleteFunc(p.kinds, func(k *kind) bool {
		k.subs = k.subs[:0]
		return !k.listed && !slices.ContainsFunc(p.subs, func(s events.State) bool { return s.Name == k.Name })
	})
	for i := range p.subs {
		s := &p.subs[i]
		at := slices.IndexFunc(p.kinds, func(k *kind) bool { return k.Name == s.Name })
		if at < 0 {
			k := p.newKind(events.Type{Name: s.Name})
			k.Take(schema.Parse([]byte("{}")))
			at = len(p.kinds)
			p.kinds = append(p.kinds, k)
		}
		p.kinds[at].subs = append(p.kinds[at].subs, i)
		live = live || s.Phase != events.Ended
	}
	for number, f := range p.followers {
		select {
		case <-f.Done():
			delete(p.followers, number)
			delete(p.receivers, number)
		default:
		}
	}
	return live
}

// shown returns the visible subscription, or nil.
func (p *Pane) shown(k *kind) *events.State {
	if len(k.subs) == 0 {
		return nil
	}
	for _, i := range k.subs {
		if p.subs[i].Number == k.at {
			return &p.subs[i]
		}
	}
	return &p.subs[k.subs[len(k.subs)-1]]
}

func name(k *kind, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Text, Text: k.Name}}
}

// delivery describes how an event type is delivered.
func delivery(k *kind, pal *paint.Palette) []paint.Span {
	switch {
	case !k.listed:
		return []paint.Span{{Style: pal.Warn, Text: "not in the list"}}
	case len(k.Delivery) == 0:
		return []paint.Span{{Style: pal.Warn, Text: "no delivery is listed"}}
	}
	return []paint.Span{{Style: pal.Muted, Text: strings.Join(k.Delivery, "  ")}}
}

// eventCounts returns the number of events received by the subscriptions to an event type, and the phase of the
// visible one.
func (p *Pane) eventCounts(k *kind, pal *paint.Palette) []paint.Span {
	s, n := p.shown(k), 0
	if s == nil {
		return nil
	}
	for _, i := range k.subs {
		n += p.subs[i].Events
	}
	return []paint.Span{{Style: pal.Text, Text: phrase.Digits(n) + " "}, {Style: p.phaseStyle(pal, s), Text: p.phaseMark(pal, s)}}
}

// phaseMark returns the sign of the subscription's phase.
func (p *Pane) phaseMark(pal *paint.Palette, s *events.State) string {
	switch s.Phase {
	case events.Live:
		return pal.Dot
	case events.Ended:
		return paint.If(s.Err != nil, pal.FailMark, pal.Absent)
	}
	return p.tick.Waits(pal)
}

func (p *Pane) phaseStyle(pal *paint.Palette, s *events.State) paint.Style {
	switch {
	case s.Phase == events.Live:
		return pal.OK
	case s.Phase == events.Ended && s.Err != nil:
		return pal.Error
	case s.Phase == events.Ended:
		return pal.Muted
	}
	return pal.Warn
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Muted, Text: phrase.Digits(p.Count())}}
}

func (p *Pane) empty(d *doc.Doc) {
	d.Text(d.Pal.Muted, "The server lists no event types.", 4)
}

// silence returns how long a live stream has been silent.
func (p *Pane) silence(s *events.State) time.Duration { return s.Silent(p.tick.Now) }

// isPush reports a subscription that is a stream.
func isPush(s *events.State) bool { return s.Mode == revision.DeliveryPush }
