package lint

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

var onCancelled = []string{"notifications/cancelled"}

// cancelRules judge cancellation.
var cancelRules = []rule{
	{id: "N010", methods: onCancelled, message: func(c *Context) {
		id := c.cancelled()
		if id != nil && !c.endsSubscription() && c.target(id) == nil && c.sameText(id) == nil {
			c.Report(At("params", "requestId"), "id", shownValue(id))
		}
	}},
	{id: "N011", methods: onCancelled, message: func(c *Context) {
		id := c.cancelled()
		if id == nil || c.target(id) != nil {
			return
		}
		if r := c.sameText(id); r != nil {
			c.Report(At("params", "requestId"), "want", shownValue([]byte(r.ID)), "got", shownValue(id))
		}
	}},
	{id: "N012", methods: onCancelled, message: func(c *Context) {
		if k := Kind(c.M.Params); k != "" && k != "object" || c.cancelled() != nil {
			return
		}
		if task := has(c.M.Meta, revision.MetaRelatedTask); !task || c.M.Revision != revision.R20251125 {
			c.Report(At("params", "requestId"))
		}
	}},
	{id: "N013", kinds: answers, message: func(c *Context) {
		if r := c.M.Request; r != nil && r.Cancelled && !r.Answered {
			c.Report(At("id"))
		}
	}},
	{methods: onCancelled, after: watchCancelled},
	{kinds: answers, message: watchReading},
	{id: "N016", kinds: answers, message: sentAfterCancel},
	{id: "N016", methods: []string{"notifications/progress"}, message: sentAfterCancel},
	{id: "N014", methods: onCancelled, message: func(c *Context) {
		id := c.cancelled()
		if id == nil || !c.endsSubscription() {
			return
		}
		r := c.target(id)
		if r == nil && c.sameText(id) != nil {
			return // N011
		}
		if r == nil || r.Method != "subscriptions/listen" {
			c.Report(At("params", "requestId"))
		}
	}},
	{id: "N015", methods: onCancelled, message: func(c *Context) {
		if c.St.Link == HTTP && c.M.Frame.Dir == transport.Out && c.M.Modern() {
			c.Report(At("method"))
		}
	}},
}

// cancelled is the id that a cancellation names, nil when it names none that
// could be one.
func (c *Context) cancelled() []byte {
	if id := Member(c.M.Params, "requestId"); isStringOrInteger(id) {
		return id
	}
	return nil
}

// endsSubscription reports a cancellation of a server without sessions: it has
// no requests of its own and can only end what the client listens to.
func (c *Context) endsSubscription() bool { return c.M.Modern() && c.M.Frame.Dir == transport.In }

func (c *Context) cancellable(id []byte) *Request {
	if c.endsSubscription() {
		return c.St.Request(transport.Out, id)
	}
	return c.St.Request(c.M.Frame.Dir, id)
}

// target is the request that a cancellation names.
func (c *Context) target(id []byte) *Request {
	if r := c.cancellable(id); r != nil {
		return r
	}
	return c.cancellable([]byte(plainToken(id)))
}

// sameText is the running request whose id has the same text and another type.
func (c *Context) sameText(id []byte) *Request {
	text := plainToken(id)
	other := `"` + text + `"`
	if Kind(id) == "string" {
		other = strings.Trim(text, `"`)
	}
	if r := c.cancellable([]byte(other)); r != nil && r.Waits() {
		return r
	}
	return nil
}

// withdrawal is a request that the client has cancelled over stdio, where nothing
// more may be sent for it (2026-07-28, basic / patterns / cancellation).
type withdrawal struct {
	row  int32 // of the cancellation
	sent int   // messages of the server about the request since then
	read bool  // the server has responded to something that was sent later
	told bool
}

// withdrawals are the requests that were cancelled, by request.
type withdrawals map[*Request]*withdrawal

const (
	// maxCrossed is how many messages may have been on their way when the
	// cancellation was written. Time says nothing about that: either side may have
	// been stopped.
	maxCrossed = 3
	// maxWithdrawals bounds how many cancelled requests are remembered.
	maxWithdrawals = 1000
)

func watchCancelled(c *Context) {
	if c.St.Link != Stdio || c.M.Sender() != Client || !c.M.Modern() {
		return
	}
	all := Own[withdrawals](c.St)
	if r := c.target(c.cancelled()); r != nil && !r.Answered && len(*all) < maxWithdrawals {
		if *all == nil {
			*all = withdrawals{}
		}
		(*all)[r] = &withdrawal{row: c.M.Frame.Row}
	}
}

// watchReading finds out which cancellations the server has read: it reads what
// the client writes in order.
func watchReading(c *Context) {
	all := *Own[withdrawals](c.St)
	if len(all) == 0 || c.M.Request == nil || c.M.Sender() != Server {
		return
	}
	for _, x := range all {
		x.read = x.read || c.M.Request.Row > x.row
	}
}

func sentAfterCancel(c *Context) {
	all := *Own[withdrawals](c.St)
	if len(all) == 0 || c.M.Sender() != Server {
		return
	}
	r := c.M.Request
	if r == nil {
		r = c.St.Tokens[transport.Out][plainToken(c.M.members.token)]
	}
	x := all[r]
	if x == nil || x.told {
		return
	}
	if x.sent++; x.read || x.sent > maxCrossed {
		x.told = true
		c.Report(Whole, "request", shownValue([]byte(r.ID)))
	}
}
