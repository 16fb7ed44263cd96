package httptransport

import (
	"hash/maphash"
	"net/http"
	"time"

	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// streamRules check event streams.
var streamRules = []rule.Rule{
	{ID: "H030", HTTP: streamEndedEarly},
	{ID: "H031", Message: func(c *rule.Context) {
		if c.M.IsResponse() && c.M.Request != nil && c.M.Frame.Dir == transport.In && c.IsStreamableHTTP() &&
			c.X.Method == http.MethodGet && !isResumed(c.X) {
			c.Report(rule.At("id"))
		}
	}},
	{ID: "H032", Message: onTwoStreams},
	{ID: "H033", Line: func(c *rule.Context) {
		if c.F.NonMessageEvent() && (c.F.EventName != "endpoint" || c.X != nil && c.St.Link != rule.SSE) {
			c.Report(rule.Whole, "got", rule.Escaped(c.F.EventName))
		}
	}},
	{ID: "H034", Line: func(c *rule.Context) {
		if c.F.EventID != "" && c.IsStreamableHTTP() && !isResumed(c.X) && rule.Own[eventIDs](c.St).has(c.F.EventID) {
			c.Report(rule.Whole, "got", rule.Escaped(c.F.EventID))
		}
	}},
	{Line: func(c *rule.Context) {
		if c.F.EventID != "" && c.F.Dir == transport.In {
			rule.Own[eventIDs](c.St).add(c.F.EventID)
		}
	}},
	{ID: "H035", HTTP: reconnectedEarly},
	{HTTP: watchRetryField},
}

// streamEndedEarly reports the pending requests of a stream that has ended. In
// the handshake era a stream with event ids can be resumed.
func streamEndedEarly(c *rule.Context) {
	x := c.X
	if !isPostResponse(c) || !isStream(x) || x.ClosedLocally() || c.St.Closing || x.LastID != "" && !c.Revision().IsStateless() {
		return
	}
	for _, r := range x.Requests {
		// What ends a subscription early is for X017.
		if rule.IsPending(r) && r.Method != "subscriptions/listen" {
			c.ReportExchange("id", r.ID, "method", r.Method)
		}
	}
}

// onTwoStreams compares a request of the server with an earlier one on another
// stream. Notifications cannot be compared: they have no id.
func onTwoStreams(c *rule.Context) {
	const within = 5 * time.Second // later on it is an id that was used again
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.In || !c.IsStreamableHTTP() || isResumed(c.X) {
		return
	}
	r := c.St.Request(transport.In, c.M.ID)
	if r == nil || r.Method != c.M.Method || string(r.Params) != string(c.M.Params) || c.St.Now.Sub(r.Start) > within {
		return
	}
	first := c.St.Exchanges[r.Exchange]
	if first != nil && r.Exchange != c.X.ID && !isResumed(first) {
		c.Report(rule.At("id"))
	}
}

// eventIDs are the ids of the events of a session, as sums: there may be many.
type eventIDs struct {
	seed maphash.Seed
	seen map[uint64]struct{}
}

const maxEventIDs = 100_000

func (e *eventIDs) has(id string) bool {
	if e.seen == nil {
		return false
	}
	_, ok := e.seen[maphash.String(e.seed, id)]
	return ok
}

func (e *eventIDs) add(id string) {
	switch {
	case e.seen == nil:
		e.seed, e.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	case len(e.seen) >= maxEventIDs:
		clear(e.seen) // the oldest ones do not matter any more
	}
	e.seen[maphash.String(e.seed, id)] = struct{}{}
}

// reconnectDelays are the retry fields of ended streams, by their newest event
// ids.
type reconnectDelays map[string]reconnectDelay

type reconnectDelay struct {
	since time.Time
	delay time.Duration
}

const maxReconnectDelays = 1000

func watchRetryField(c *rule.Context) {
	x := c.X
	if x.Retry <= 0 || x.LastID == "" || !x.Reached(transport.ExchangeDone) {
		return
	}
	w := rule.Own[reconnectDelays](c.St)
	if *w == nil || len(*w) >= maxReconnectDelays {
		*w = reconnectDelays{}
	}
	(*w)[x.LastID] = reconnectDelay{since: x.Start.Add(x.Took), delay: x.Retry}
}

func reconnectedEarly(c *rule.Context) {
	const clock = 10 * time.Millisecond // no timer is better than that
	if !isGetOrDelete(c) {
		return
	}
	id, ok := c.X.RequestField("Last-Event-Id")
	w, known := (*rule.Own[reconnectDelays](c.St))[id]
	if !ok || !known {
		return
	}
	delete(*rule.Own[reconnectDelays](c.St), id) // a second request follows another end of the stream
	if got := c.X.Start.Sub(w.since); got+clock < w.delay {
		c.ReportExchange("want", w.delay.Milliseconds(), "got", max(got, 0).Milliseconds())
	}
}
