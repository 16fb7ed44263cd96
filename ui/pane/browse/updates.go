package browse

import (
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/offer"
	"mcptea/session/session"
	"mcptea/ui/paint"
)

// minReload is the least time between two reads of a resource that changes all
// the time.
const minReload = time.Second

// follows takes over which resources the session asks the changes of.
func (p *Panel) follows(uris []string) {
	clear(p.subscribed)
	for _, uri := range uris {
		p.subscribed[uri] = subscription{on: true}
	}
}

// updated is when the server last reported a change of an item. A notification
// may name a resource inside of the one that was subscribed to (2025-11-25,
// server / resources, "Subscriptions").
func (p *Panel) updated(it offer.Item) (session.Update, bool) {
	if it.Kind != "resources" {
		return session.Update{}, false
	}
	newest, ok := p.tick.State.Updates[it.URI]
	if p.subscribed[it.URI].on {
		for uri, u := range p.tick.State.Updates {
			if strings.HasPrefix(uri, strings.TrimSuffix(it.URI, "/")+"/") && u.At.After(newest.At) {
				newest, ok = u, true
			}
		}
	}
	return newest, ok
}

// changedSince reports whether the server has reported a change of an item after
// a call for it began, and when.
func (p *Panel) changedSince(it offer.Item, c *call) (at time.Time, yes bool) {
	u, ok := p.updated(it)
	return u.At, ok && !u.At.Before(c.Started)
}

// isNews reports whether a resource has changed since its newest call, or was never read.
func (p *Panel) isNews(it offer.Item, newest *call) bool {
	if newest == nil {
		_, ok := p.tick.State.Updates[it.URI]
		return ok
	}
	_, changed := p.changedSince(it, newest)
	return changed && newest.over
}

// due is when the open resource is to be read again, because it has changed since it was
// read and its changes are subscribed to.
func (p *Panel) due() (e *Item, at time.Time, ok bool) {
	e = p.selected()
	c := e.newest()
	if c == nil {
		return nil, at, false
	}
	if _, changed := p.changedSince(e.item, c); !changed || !c.over || !p.subscribed[e.item.URI].on {
		return nil, at, false
	}
	return e, c.Started.Add(c.ended + minReload), true
}

// reload reads the open resource again when it has changed.
func (p *Panel) reload() {
	e, at, ok := p.due()
	if !ok || p.tick.Now.Before(at) || p.tick.State.Phase != session.Ready {
		return
	}
	params, err := e.shape.Params(e.item, nil)
	if err == nil {
		p.app.Online("", func() { e.reloadStarted(p.s.Start(e.shape.Method, params)) })
	}
}

// reloadStarted takes a read that the program began by itself.
func (e *Item) reloadStarted(c *session.Call) {
	before := e.calls[len(e.calls)-1]
	shown := e.shown() == before
	if before.reload { // the history is of what the user did
		e.calls = e.calls[:len(e.calls)-1]
	}
	at := e.at
	e.AddCall(c)
	e.calls[len(e.calls)-1].reload = true
	if !shown {
		e.at = min(at, len(e.calls)-1)
	}
}

// mostAging is how long before its end the age of a result is kept current.
const mostAging = 10 * time.Minute

// Aging reports whether something on show gets older by the second.
func (p *Panel) Aging() bool {
	if _, _, due := p.due(); due {
		return true
	}
	c := p.selected().onShow()
	if c == nil || !c.over || !c.fresh.Explicit || c.fresh.TTL <= 0 {
		return false
	}
	return c.left(p.tick.Now) > 0 && c.left(p.tick.Now) < mostAging
}

// left is how long a result stays fresh; negative once it is stale.
func (c *call) left(now time.Time) time.Duration {
	return c.Started.Add(c.ended + c.fresh.TTL).Sub(now)
}

// age says how fresh a result is: as the server said, and as it has reported
// since.
func (p *Panel) age(pal *paint.Palette, e *Item, c *call) (paint.Span, bool) {
	if at, changed := p.changedSince(e.item, c); changed {
		return paint.Span{Style: pal.Warn, Text: "  stale: changed at " + at.Format("15:04:05")}, true
	}
	switch f := c.fresh; {
	case !f.Explicit:
		return paint.Span{}, false
	case f.TTL <= 0 && p.subscribed[e.item.URI].on: // a change is read at once
		return paint.Span{}, false
	case f.TTL <= 0:
		return paint.Span{Style: pal.Muted, Text: "  " + f.String()}, true
	case c.left(p.tick.Now) <= 0:
		return paint.Span{Style: pal.Warn, Text: "  stale: expired after " + phrase.Took(f.TTL)}, true
	default:
		f.TTL = max(c.left(p.tick.Now).Truncate(time.Second), time.Second)
		return paint.Span{Style: pal.Muted, Text: "  " + f.String()}, true
	}
}

// subscribedFact says what a subscription has brought.
func (p *Panel) subscribedFact(e *Item) string {
	u, ok := p.updated(e.item)
	switch {
	case !ok && e.newest() == nil:
		return "subscribed: the server reports changes"
	case !ok:
		return "subscribed: while it is on show, a change is read at once"
	case u.Count == 1:
		return "subscribed: changed at " + u.At.Format("15:04:05")
	}
	return "subscribed: " + phrase.Digits(u.Count) + " changes reported, the last at " + u.At.Format("15:04:05")
}

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

// Subscribed reports whether the changes of a resource are subscribed to.
func (p *Panel) Subscribed(uri string) bool { return p.subscribed[uri].on }

// subscribes is what [Pane.subscribe] does to the selected resource.
func (p *Panel) subscribes() string {
	if e := p.selected(); e != nil && p.subscribed[e.item.URI].on {
		return "unsubscribe"
	}
	return "subscribe"
}

// subscribe subscribes to the updates of a resource, or unsubscribes.
func (p *Panel) subscribe(e *Item) {
	uri := e.item.URI
	on := !p.subscribed[uri].on
	p.app.Online("Subscribe", func() {
		p.pending = append(p.pending, pending{p.s.SubscribeResource(uri, on), uri, on})
	})
}

// takePending takes note of the answers.
func (p *Panel) takePending() {
	rest := p.pending[:0]
	for _, w := range p.pending {
		if w.call.Running() {
			rest = append(rest, w)
			continue
		}
		s := subscription{on: w.on}
		if _, err := w.call.Result(); err != nil {
			s = subscription{on: !w.on, refused: err.Error()}
		}
		p.subscribed[w.uri] = s
	}
	p.pending = rest
}
