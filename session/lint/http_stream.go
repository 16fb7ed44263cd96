package lint

import (
	"hash/maphash"
	"net/http"
	"time"

	"mcptea/client/transport"
)

// streamRules judge event streams.
var streamRules = []rule{
	{id: "H030", http: endedEarly},
	{id: "H031", message: func(c *Context) {
		if c.M.IsAnswer() && c.M.Request != nil && c.M.Frame.Dir == transport.In && c.streamable() &&
			c.X.Method == http.MethodGet && !c.X.isResumed() {
			c.Report(At("id"))
		}
	}},
	{id: "H032", message: onTwoStreams},
	{id: "H033", line: func(c *Context) {
		if c.F.NonMessageEvent() && (c.F.EventName != "endpoint" || c.X != nil && c.St.Link != SSE) {
			c.Report(Whole, "got", escaped(c.F.EventName))
		}
	}},
	{id: "H034", line: func(c *Context) {
		if c.F.EventID != "" && c.streamable() && !c.X.isResumed() && Own[eventIDs](c.St).has(c.F.EventID) {
			c.Report(Whole, "got", escaped(c.F.EventID))
		}
	}},
	{line: func(c *Context) {
		if c.F.EventID != "" && c.F.Dir == transport.In {
			Own[eventIDs](c.St).add(c.F.EventID)
		}
	}},
	{id: "H035", http: reconnectedEarly},
	{http: watchWait},
}

// endedEarly looks for what a stream owed when it ended. A stream that had an id
// can be gone on with, where the revision has that.
func endedEarly(c *Context) {
	x := c.X
	if !c.answeredPost() || !x.isStream() || x.closedHere() || c.St.Closing || x.LastID != "" && !c.revision().IsStateless() {
		return
	}
	for _, r := range x.Requests {
		// What ends a subscription early is for X017.
		if r.Waits() && r.Method != "subscriptions/listen" {
			c.reportHead("id", r.ID, "method", r.Method)
		}
	}
}

// onTwoStreams looks for a request of the server that has come before on another
// stream. Notifications have nothing by which one could be known again.
func onTwoStreams(c *Context) {
	const within = 5 * time.Second // later on it is an id that was used again
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.In || !c.streamable() || c.X.isResumed() {
		return
	}
	r := c.St.Request(transport.In, c.M.ID)
	if r == nil || r.Method != c.M.Method || string(r.Params) != string(c.M.Params) || c.St.Now.Sub(r.Time) > within {
		return
	}
	first := c.St.Exchanges[r.Exchange]
	if first != nil && r.Exchange != c.X.ID && !first.isResumed() {
		c.Report(At("id"))
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
		clear(e.seen) // those of long ago do not come back
	}
	e.seen[maphash.String(e.seed, id)] = struct{}{}
}

// waits are the streams after which the server wants to be left alone for a
// while, by their newest event ids.
type waits map[string]wait

type wait struct {
	since time.Time
	least time.Duration
}

const maxWaits = 1000

func watchWait(c *Context) {
	x := c.X
	if x.Retry <= 0 || x.LastID == "" || !x.Reached(transport.ExchangeDone) {
		return
	}
	w := Own[waits](c.St)
	if *w == nil || len(*w) >= maxWaits {
		*w = waits{}
	}
	(*w)[x.LastID] = wait{since: x.Start.Add(x.Took), least: x.Retry}
}

func reconnectedEarly(c *Context) {
	const clock = 10 * time.Millisecond // no timer is better than that
	if !c.unasked() {
		return
	}
	id, ok := c.X.said("Last-Event-Id")
	w, known := (*Own[waits](c.St))[id]
	if !ok || !known {
		return
	}
	delete(*Own[waits](c.St), id) // who comes a second time has waited for another end
	if got := c.X.Start.Sub(w.since); got+clock < w.least {
		c.reportHead("want", w.least.Milliseconds(), "got", max(got, 0).Milliseconds())
	}
}
