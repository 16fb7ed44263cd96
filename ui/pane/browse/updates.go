package browse

import (
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/session/session"
	"mcptea/ui/paint"
)

// minReload is the minimum time between two reads of a resource that keeps changing.
const minReload = time.Second

// follows replaces the set of subscribed resources.
func (p *Panel) follows(uris []string) {
	clear(p.subscribed)
	for _, uri := range uris {
		p.subscribed[uri] = subscription{on: true}
	}
}

// updated returns the newest update that the server reported for a resource. A notification may name a
// subresource of the subscribed one (2025-11-25, server / resources, "Subscriptions").
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

// changedSince returns the time of the newest reported change of an item, and whether it came after the start
// of the call.
func (p *Panel) changedSince(it offer.Item, c *call) (at time.Time, yes bool) {
	u, ok := p.updated(it)
	return u.At, ok && !u.At.Before(c.Started)
}

// isNews reports whether a resource has changed since its newest call, or has changed and was never read.
func (p *Panel) isNews(it offer.Item, newest *call) bool {
	if newest == nil {
		_, ok := p.tick.State.Updates[it.URI]
		return ok
	}
	_, changed := p.changedSince(it, newest)
	return changed && newest.over
}

// due returns the visible resource if it must be read again, and the earliest time for that. It
// must be subscribed, and have changed since the last read.
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

// reload rereads the visible resource if it has changed.
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

// reloadStarted adds an automatic read. It replaces the previous one, because the history shows only actions of
// the user.
func (e *Item) reloadStarted(c *session.Call) {
	before := e.calls[len(e.calls)-1]
	shown := e.shown() == before
	if before.reload { // automatic reads are not part of the history
		e.calls = e.calls[:len(e.calls)-1]
	}
	at := e.at
	e.AddCall(c)
	e.calls[len(e.calls)-1].reload = true
	if !shown {
		e.at = min(at, len(e.calls)-1)
	}
}

// mostAging is the time before the expiry of a result in which its age is updated every second.
const mostAging = 10 * time.Minute

// Aging reports whether something visible has an age that changes every second.
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

// left returns how long a result stays fresh. It is negative if the result is stale.
func (c *call) left(now time.Time) time.Duration {
	return c.Started.Add(c.ended + c.fresh.TTL).Sub(now)
}

// age returns the freshness of a result, according to its ttl and to later updates.
func (p *Panel) age(pal *paint.Palette, e *Item, c *call) (paint.Span, bool) {
	if at, changed := p.changedSince(e.item, c); changed {
		return paint.Span{Style: pal.Warn, Text: "  stale: changed at " + at.Format("15:04:05")}, true
	}
	switch f := c.fresh; {
	case !f.Explicit:
		return paint.Span{}, false
	case f.TTL <= 0 && p.subscribed[e.item.URI].on: // changes are read immediately
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

// subscribedFact describes the updates that a subscription has received.
func (p *Panel) subscribedFact(e *Item) string {
	u, ok := p.updated(e.item)
	switch {
	case !ok && e.newest() == nil:
		return "subscribed: the server reports changes"
	case !ok:
		return "subscribed: while it is visible, a change is read immediately"
	case u.Count == 1:
		return "subscribed: changed at " + u.At.Format("15:04:05")
	}
	return "subscribed: " + phrase.Digits(u.Count) + " changes reported, the last at " + u.At.Format("15:04:05")
}

// A subscription is the subscription state of a resource.
type subscription struct {
	on      bool
	refused string // why the last attempt failed
}

// A pending is a subscribe or unsubscribe request without a response.
type pending struct {
	call *session.Call
	uri  string
	on   bool
}

// Subscribed reports whether the resource is subscribed.
func (p *Panel) Subscribed(uri string) bool { return p.subscribed[uri].on }

// subscribes returns the label of the subscribe key for the selected resource.
func (p *Panel) subscribes() string {
	if e := p.selected(); e != nil && p.subscribed[e.item.URI].on {
		return "unsubscribe"
	}
	return "subscribe"
}

// subscribe subscribes to a resource, or unsubscribes from it.
func (p *Panel) subscribe(e *Item) {
	uri := e.item.URI
	on := !p.subscribed[uri].on
	p.app.Online("Subscribe", func() {
		p.pending = append(p.pending, pending{p.s.SubscribeResource(uri, on), uri, on})
	})
}

// takePending handles the responses to subscribe and unsubscribe requests.
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
