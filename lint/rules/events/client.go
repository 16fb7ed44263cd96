package events

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// clientRules checks how a client uses events.
var clientRules = []lint.Rule{
	{ID: "V080", Limit: lint.OncePerSubject, Methods: polling, When: lint.Request | lint.FromClient, Message: pollsTooFast},
	{ID: "V081", Limit: lint.OncePerSubject, Methods: polling, When: lint.Request | lint.FromClient, Message: waitsForMore},
	{ID: "V082", Limit: lint.OncePerSubject, Methods: polling, When: lint.Request | lint.FromClient, Message: oldCursor},
	{ID: "V083", Methods: []string{revision.EventsStream}, When: lint.Request | lint.FromClient, Message: reopened(true)},
	{ID: "V084", Methods: []string{revision.EventsStream}, When: lint.Request | lint.FromClient, Message: reopened(false)},
	{ID: "V085", Methods: subscribing, When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		if why := urlFault(c.M.Params); why != "" {
			c.Report(lint.At("params", "delivery", "url"), "why", why)
		}
	}},
	{ID: "V086", Methods: subscribing, When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		if why := secretFault(jsonrpc.Get(c.M.Params, "delivery", "secret")); why != "" {
			c.Report(lint.At("params", "delivery", "secret"), "why", why)
		}
	}},
	{ID: "V087", Methods: subscribing, When: lint.Request | lint.FromClient, Message: refreshLate, Tick: refreshLate},
	{ID: "V088", Methods: managing, When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		if c.M.Has(c.M.Params, "id") {
			c.Report(lint.At("params", "id"), "method", c.M.Method)
		}
	}},
}

// pollsTooFast reports a poll before nextPollMs is over, with a tolerance of a tenth.
func pollsTooFast(c *lint.Context) {
	w, p, params := pollOf(c)
	cursor, _ := textOf(params, "cursor")
	if p == nil || cursor == "" || cursor != p.cursor || p.hasMore {
		return
	}
	if after := c.St.Now.Sub(p.at); after >= 0 && after < p.wait-p.wait/10 {
		c.About(w.key()).With(p.row).Report(lint.At("method"), "name", lint.Quoted(w.name), "after", phrase.Duration(after.Round(time.Millisecond)), "wait", phrase.Duration(p.wait))
	}
}

// shortWait is a nextPollMs that cannot be distinguished from other delays.
const shortWait = 500 * time.Millisecond

func waitsForMore(c *lint.Context) {
	w, p, params := pollOf(c)
	cursor, _ := textOf(params, "cursor")
	if p == nil || cursor == "" || cursor != p.cursor || !p.hasMore || p.wait < shortWait {
		return
	}
	if after := c.St.Now.Sub(p.at); after >= p.wait-p.wait/10 {
		c.About(w.key()).With(p.row).Report(lint.At("method"), "name", lint.Quoted(w.name), "after", phrase.Duration(after.Round(time.Millisecond)))
	}
}

// often is the number of polls from one cursor that returned a newer one before another such poll counts as
// stuck.
const often = 2

func oldCursor(c *lint.Context) {
	w, p, params := pollOf(c)
	cursor, ok := textOf(params, "cursor")
	if p == nil || !ok || p.cursor == "" || cursor == p.cursor {
		return
	}
	if b := p.from[lint.ShortKey(cursor)]; b != nil && b.asked >= often {
		c.About(w.key()).With(p.row).Report(lint.At("params", "cursor"), "name", lint.Quoted(w.name), "times", b.asked+1)
	}
}

// reopenedWithin bounds the time within which a client reopens a stream that it has cancelled to replace it.
const reopenedWithin = 2 * time.Second

// reopened returns the function of a rule about a live stream that the client cancels and opens again: after a
// gap, or without one.
func reopened(afterGap bool) func(*lint.Context) {
	return func(c *lint.Context) {
		w := wantsOf(c.M.Params)
		for _, s := range slices.Backward(lint.Own[streams](c.St).all) {
			if s.key() != w.key() {
				continue
			}
			recent := s.byClient && c.St.Now.Sub(s.ended) < reopenedWithin && s.active && !s.terminated && s.newest != revision.EventsError
			gap := !s.truncated.IsZero() && s.ended.Sub(s.truncated) < reopenedWithin && s.beats == s.beatsAtGap
			if recent && gap == afterGap && (afterGap || s.beats > 0) {
				c.With(s.newestRow).Report(lint.Whole, "name", lint.Quoted(w.name), "age", phrase.Duration(s.ended.Sub(s.at).Round(time.Millisecond)),
					"frames", phrase.Count(s.frames, "notification"))
			}
			return
		}
	}
}

// refreshLate reports subscriptions that the client has let expire.
func refreshLate(c *lint.Context) {
	for _, s := range *lint.Own[subscriptions](c.St) {
		if !s.ended && !s.late && !s.refresh.IsZero() && c.St.Now.After(s.refresh) {
			s.late = true
			c.ReportIn(s.row, lint.At("result", "refreshBefore"), "id", lint.Quoted(s.id), "until", s.refresh.UTC().Format(time.RFC3339))
		}
	}
}
