package notifications

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/flow"
)

var onCancelled = []string{"notifications/cancelled"}

// cancelRules check cancellation.
var cancelRules = []lint.Rule{
	{ID: "N010", Methods: onCancelled, Message: func(c *lint.Context) {
		id := cancelledID(c)
		if id != nil && !endsSubscription(c) && cancelledRequest(c, id) == nil && requestOfOtherIDType(c, id) == nil && methodOfOtherSide(c, id) == "" {
			c.Report(lint.At("params", "requestId"), "id", lint.ShownValue(id))
		}
	}},
	{ID: "N019", Methods: onCancelled, Message: func(c *lint.Context) {
		if id := cancelledID(c); id != nil {
			if what := methodOfOtherSide(c, id); what != "" {
				c.Report(lint.At("params", "requestId"), "id", lint.ShownValue(id), "what", what)
			}
		}
	}},
	{ID: "N011", Methods: onCancelled, Message: func(c *lint.Context) {
		id := cancelledID(c)
		if id == nil || cancelledRequest(c, id) != nil {
			return
		}
		if r := requestOfOtherIDType(c, id); r != nil {
			c.Report(lint.At("params", "requestId"), "want", lint.ShownValue(r.ID.Bytes()), "got", lint.ShownValue(id))
		}
	}},
	{ID: "N012", Methods: onCancelled, Message: func(c *lint.Context) {
		if k := jsonrpc.TypeOf(c.M.Params); k != "" && k != "object" || cancelledID(c) != nil {
			return
		}
		if task := lint.Has(c.M.Meta, revision.MetaRelatedTask); !task || c.M.Revision != revision.R20251125 {
			c.Report(lint.At("params", "requestId"))
		}
	}},
	{ID: "N013", Kinds: lint.Responses, Message: func(c *lint.Context) {
		if r := c.M.Request; r != nil && r.State == flow.Cancelled {
			c.Report(lint.At("id"), "what", "The response to")
		}
	}},
	{ID: "N013", Methods: onProgress, Message: func(c *lint.Context) {
		if !c.M.IsStateless() && sendsOn(c) != nil { // N016
			c.Report(lint.At("params", "progressToken"), "what", "Progress of")
		}
	}},
	{When: lint.Request, After: func(c *lint.Context) { (*lint.Own[senders](c.St))[c.M.Frame.Dir] = true }},
	{Methods: onCancelled, When: lint.FromClient, After: watchCancelled},
	{Kinds: lint.Responses, Message: watchCancellationRead},
	{ID: "N016", Kinds: lint.Responses, Message: sentAfterCancel},
	{ID: "N016", Methods: onProgress, Message: sentAfterCancel},
	{ID: "N014", Methods: onCancelled, Message: func(c *lint.Context) {
		id := cancelledID(c)
		if id == nil || !endsSubscription(c) {
			return
		}
		r := cancelledRequest(c, id)
		if r == nil && requestOfOtherIDType(c, id) != nil {
			return // N011
		}
		if r == nil || r.Method != "subscriptions/listen" {
			c.Report(lint.At("params", "requestId"))
		}
	}},
	{ID: "N038", Methods: onCancelled, When: lint.FromClient, Message: timedOutWithoutProgress},
	{ID: "N015", Methods: onCancelled, When: lint.FromClient | lint.Stateless, Message: func(c *lint.Context) {
		if c.St.Link == lint.HTTP {
			c.Report(lint.At("method"))
		}
	}},
}

// timedOut matches the reason of a cancellation at a time limit of the client.
var timedOut = lazyregexp.New(`(?i)\btime[ds]?[ -]?out\b|\bdeadline\b`)

// timedOutWithoutProgress reports a call that ended at a time limit of the client. The client had
// requested no progress, which could have shown that the call was still running.
func timedOutWithoutProgress(c *lint.Context) {
	r := cancelledRequest(c, cancelledID(c))
	if r == nil || r.Method != "tools/call" || r.AsksForProgress() || !timedOut().MatchString(c.M.Text(c.M.Params, "reason")) {
		return
	}
	c.Report(lint.At("params", "reason"), "name", lint.Escaped(r.Name), "took", phrase.Took(c.M.Frame.Time.Sub(r.Start)))
}

// cancelledID returns the id that a cancellation names, or nil if it names no valid id.
func cancelledID(c *lint.Context) []byte {
	if id := c.M.Get(c.M.Params, "requestId"); lint.IsStringOrInteger(id) {
		return id
	}
	return nil
}

// endsSubscription reports whether a stateless server cancels something: it has no requests of its own, so it
// can only end a subscription.
func endsSubscription(c *lint.Context) bool {
	return c.M.IsStateless() && c.M.Frame.Dir == transport.In
}

func cancellable(c *lint.Context, id []byte) *flow.Flow {
	if endsSubscription(c) {
		return c.St.Flows.Find(transport.Out, jsonrpc.TokenOf(id))
	}
	return c.St.Flows.Find(c.M.Frame.Dir, jsonrpc.TokenOf(id))
}

// cancelledRequest returns the request that a cancellation names.
func cancelledRequest(c *lint.Context, id []byte) *flow.Flow {
	return cancellable(c, id)
}

// senders reports the sides that have sent a request, by their direction.
type senders [2]bool

// methodOfOtherSide returns the method of the request that a cancellation names, if the other side has sent it and the
// sender of the cancellation has sent no request at all, or "".
func methodOfOtherSide(c *lint.Context, id []byte) string {
	if endsSubscription(c) {
		return "" // N014
	}
	if c.St.Link != lint.Stdio {
		return "" // a request of the sender may be in a stream that was not read
	}
	if (*lint.Own[senders](c.St))[c.M.Frame.Dir] || cancelledRequest(c, id) != nil || requestOfOtherIDType(c, id) != nil {
		return "" // both sides may use the same ids
	}
	if r := c.St.Flows.Find(1-c.M.Frame.Dir, jsonrpc.TokenOf(id)); r != nil {
		return lint.Escaped([]byte(r.Method))
	}
	return ""
}

// requestOfOtherIDType returns the running request whose id has the same text and another type.
func requestOfOtherIDType(c *lint.Context, id []byte) *flow.Flow {
	if r := cancellable(c, jsonrpc.TokenOf(id).OfOtherType().Shown()); r != nil && lint.IsPending(r) {
		return r
	}
	return nil
}

// cancellation is a request that the client has cancelled over stdio. After it the server must
// not send anything for it (2026-07-28, basic / patterns / cancellation), or should stop
// processing it (earlier versions, basic / utilities / cancellation, "Behavior Requirements"),
// which a request that cannot be cancelled may excuse.
type cancellation struct {
	row      int32 // row of the cancellation
	sent     int   // messages of the server about the request since then
	answered int32 // row of the first response to a message sent after the cancellation, or 0
	read     bool  // the server has responded to a message sent after that response
	reported bool
}

// cancellations holds the cancelled requests.
type cancellations map[*flow.Flow]*cancellation

const (
	// maxCrossed bounds the messages that may cross the cancellation. Time does
	// not decide: either side may have been stopped.
	maxCrossed = 3
	// maxCancellations bounds how many cancelled requests are remembered.
	maxCancellations = 1000
)

func watchCancelled(c *lint.Context) {
	if c.St.Link != lint.Stdio {
		return
	}
	if r := cancelledRequest(c, cancelledID(c)); r != nil && !r.HasResponse() {
		lint.Keep(lint.Own[cancellations](c.St), maxCancellations, r, &cancellation{row: c.M.Frame.Row})
	}
}

// watchCancellationRead marks the cancellations that the server has read: it reads messages in their order.
// After one response to a later request, another goroutine of the server may still be about to write an earlier
// message. After a second one, earlier messages are no longer on their way.
func watchCancellationRead(c *lint.Context) {
	all := *lint.Own[cancellations](c.St)
	if len(all) == 0 || c.M.Request == nil || c.M.Sender() != lint.Server {
		return
	}
	for _, x := range all {
		switch row := c.M.Request.Row(); {
		case x.answered == 0 && row > x.row:
			x.answered = c.M.Frame.Row
		case x.answered != 0 && row > x.answered:
			x.read = true
		}
	}
}

func sentAfterCancel(c *lint.Context) {
	if r := sendsOn(c); r != nil {
		c.Report(lint.Whole, "request", lint.ShownValue(r.ID.Bytes()))
	}
}

// sendsOn returns the cancelled request that a message of the server is about, if the server has seen the
// cancellation. It returns nil after the first such message.
func sendsOn(c *lint.Context) *flow.Flow {
	all := *lint.Own[cancellations](c.St)
	if len(all) == 0 || c.M.Sender() != lint.Server {
		return nil
	}
	r := c.M.Request
	if r == nil {
		r = c.St.Flows.OfToken(transport.Out, c.M.Members.Token)
	}
	x := all[r]
	if x == nil || x.reported {
		return nil
	}
	if x.sent++; !x.read && x.sent <= maxCrossed {
		return nil
	}
	x.reported = true
	return r
}
