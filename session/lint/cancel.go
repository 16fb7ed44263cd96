package lint

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

var onCancelled = []string{"notifications/cancelled"}

// cancelRules judge cancellation.
var cancelRules = []rule{
	{id: "N010", methods: onCancelled, message: func(c *Case) {
		id := c.cancelled()
		if id != nil && !c.endsSubscription() && c.target(id) == nil && c.sameText(id) == nil {
			c.Find(At("params", "requestId"), "id", foreignToken(id))
		}
	}},
	{id: "N011", methods: onCancelled, message: func(c *Case) {
		id := c.cancelled()
		if id == nil || c.target(id) != nil {
			return
		}
		if r := c.sameText(id); r != nil {
			c.Find(At("params", "requestId"), "want", foreignToken([]byte(r.ID)), "got", foreignToken(id))
		}
	}},
	{id: "N012", methods: onCancelled, message: func(c *Case) {
		if k := Kind(c.M.Params); k != "" && k != "object" || c.cancelled() != nil {
			return
		}
		if task := has(c.M.Meta, revision.MetaRelatedTask); !task || c.M.Revision != revision.R20251125 {
			c.Find(At("params", "requestId"))
		}
	}},
	{id: "N013", kinds: answers, message: func(c *Case) {
		if r := c.M.Request; r != nil && r.Cancelled && !r.Answered {
			c.Find(At("id"))
		}
	}},
	{id: "N014", methods: onCancelled, message: func(c *Case) {
		id := c.cancelled()
		if id == nil || !c.endsSubscription() {
			return
		}
		r := c.target(id)
		if r == nil && c.sameText(id) != nil {
			return // N011
		}
		if r == nil || r.Method != "subscriptions/listen" {
			c.Find(At("params", "requestId"))
		}
	}},
	{id: "N015", methods: onCancelled, message: func(c *Case) {
		if c.St.Link == HTTP && c.M.Frame.Dir == transport.Out && c.M.Modern() {
			c.Find(At("method"))
		}
	}},
}

// cancelled is the id that a cancellation names, nil when it names none that
// could be one.
func (c *Case) cancelled() []byte {
	if id := Member(c.M.Params, "requestId"); isStringOrInteger(id) {
		return id
	}
	return nil
}

// endsSubscription reports a cancellation of a server without sessions: it has
// no requests of its own and can only end what the client listens to.
func (c *Case) endsSubscription() bool { return c.M.Modern() && c.M.Frame.Dir == transport.In }

func (c *Case) cancellable(id []byte) *Request {
	if c.endsSubscription() {
		return c.St.Request(transport.Out, id)
	}
	return c.St.Request(c.M.Frame.Dir, id)
}

// target is the request that a cancellation names.
func (c *Case) target(id []byte) *Request {
	if r := c.cancellable(id); r != nil {
		return r
	}
	return c.cancellable([]byte(plainToken(id)))
}

// sameText is the running request whose id has the same text and another type.
func (c *Case) sameText(id []byte) *Request {
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
