package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

const (
	listen       = "subscriptions/listen"
	acknowledged = "notifications/subscriptions/acknowledged"
)

// ofSubscriptions are the notifications that only come because of a
// subscription, and the member of its filter that asks for them.
var ofSubscriptions = map[string]string{
	"notifications/tools/list_changed":     "toolsListChanged",
	"notifications/prompts/list_changed":   "promptsListChanged",
	"notifications/resources/list_changed": "resourcesListChanged",
	"notifications/resources/updated":      "resourceSubscriptions",
	"notifications/tasks":                  "taskIds",
}

var toSubscribers = []string{
	"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed",
	"notifications/resources/updated", "notifications/tasks", acknowledged,
}

// subscriptionRules judge subscriptions/listen and what comes of it
// (2026-07-28, basic / patterns / subscriptions).
var subscriptionRules = []rule{
	{id: "X010", limit: perMessage(someMembers), methods: []string{listen}, message: wrongFilter},
	{id: "X011", methods: append([]string{listen}, toSubscribers...), message: unacknowledged, tick: unacknowledgedForLong},
	{id: "X012", methods: []string{acknowledged}, message: func(c *Context) {
		s, granted := c.acknowledgement()
		if extra := wishes(granted).without(wishes(s.filter)); len(extra) > 0 {
			c.Report(At("params", "notifications", extra[0].member), "extra", extra)
		}
	}},
	{id: "X013", methods: toSubscribers, message: func(c *Context) {
		if c.told() && c.subscriptionID() == nil {
			c.Report(At("params", "_meta", revision.MetaSubscriptionID))
		}
	}},
	{id: "X014", methods: append([]string{listen}, toSubscribers...), message: wrongSubscription},
	{id: "X015", methods: toSubscribers, message: notAskedFor},
	{id: "X016", methods: []string{"notifications/progress", "notifications/message"}, message: func(c *Context) {
		if !c.told() {
			return
		}
		switch subs := Own[subscriptions](c.St); {
		case c.subscriptionID() != nil:
			c.Report(At("params", "_meta", revision.MetaSubscriptionID))
		case subs.on(c.M.Exchange) != nil:
			c.Report(Whole)
		}
	}},
	{id: "X017", end: func(c *Context) {
		if c.End.By == Client || !c.St.StdinClosed.IsZero() {
			return
		}
		for _, s := range Own[subscriptions](c.St).list {
			c.dropped(s)
		}
	}, http: func(c *Context) {
		// Over HTTP a client takes a request back by closing its exchange.
		if s := Own[subscriptions](c.St).on(c.X); s != nil && c.X.Done && c.X.Status < 400 && !c.X.closedHere() {
			c.dropped(s)
		}
	}},
	{id: "X018", methods: []string{acknowledged}, message: func(c *Context) {
		s, granted := c.acknowledgement()
		if missing := wishes(s.filter).without(wishes(granted)); len(missing) > 0 {
			c.Report(At("params", "notifications"), "missing", missing)
		}
	}},
	{methods: []string{listen, acknowledged, "notifications/cancelled"}, after: watchSubscriptions, http: func(c *Context) {
		if s := Own[subscriptions](c.St).on(c.X); s != nil && c.X.Done {
			s.end(c.St.Now, Server)
		}
	}},
}

// subscription is one that a client has asked for.
type subscription struct {
	id       string // raw, of its request
	row      int32
	at       time.Time
	exchange uint32 // 0 over stdio
	filter   []byte // raw, a copy
	// acknowledged says that the server has; late, that it was said that it
	// has not.
	acknowledged, late bool

	ended time.Time // zero while it is open
	by    Side      // who ended it
}

func (s *subscription) open() bool { return s.ended.IsZero() }

func (s *subscription) end(at time.Time, by Side) {
	if s.open() {
		s.ended, s.by = at, by
	}
}

// subscriptions are those of a connection; not all that have ended.
type subscriptions struct {
	list []*subscription
}

// crossing is how long after its end by the client something may still come on
// a subscription, because it was on its way.
const crossing = 5 * time.Second

// forget drops those that have ended long ago.
func (s *subscriptions) forget(now time.Time) {
	s.list = slices.DeleteFunc(s.list, func(s *subscription) bool { return !s.open() && now.Sub(s.ended) > crossing })
}

// named finds the open one of an id, or one that its client has only just
// ended.
func (s *subscriptions) named(id []byte, now time.Time) *subscription {
	for _, sub := range slices.Backward(s.list) {
		if sub.id == string(id) && (sub.open() || sub.by == Client && now.Sub(sub.ended) <= crossing) {
			return sub
		}
	}
	return nil
}

// on finds the open one of an exchange.
func (s *subscriptions) on(x *Exchange) *subscription {
	if x == nil {
		return nil
	}
	for _, sub := range s.list {
		if sub.exchange == x.ID && sub.open() {
			return sub
		}
	}
	return nil
}

// told reports a notification of a server in a revision with subscriptions.
func (c *Context) told() bool {
	return c.M.IsNotification() && c.M.Modern() && c.M.Sender() == Server
}

func (c *Context) subscriptionID() []byte {
	return Member(c.M.Params, "_meta", revision.MetaSubscriptionID)
}

// subscription is the one that a notification names, or whose stream carries it;
// nil when there is none.
func (c *Context) subscription() *subscription {
	subs := Own[subscriptions](c.St)
	if id := c.subscriptionID(); id != nil {
		return subs.named(id, c.St.Now)
	}
	return subs.on(c.M.Exchange)
}

// acknowledgement returns what was granted, and of which subscription; of an
// empty one when that is not known.
func (c *Context) acknowledgement() (*subscription, []byte) {
	granted := Member(c.M.Params, "notifications")
	if s := c.subscription(); s != nil && c.told() && Kind(granted) == "object" && Kind(s.filter) == "object" {
		return s, granted
	}
	return &subscription{}, nil
}

func watchSubscriptions(c *Context) {
	subs := Own[subscriptions](c.St)
	switch {
	case !c.M.Modern():
	case c.M.Method == "notifications/cancelled": // either side may end one
		if s := subs.named(Member(c.M.Params, "requestId"), c.St.Now); s != nil {
			s.end(c.St.Now, c.M.Sender())
		}
	case c.M.IsRequest():
		subs.forget(c.St.Now)
		subs.list = append(subs.list, &subscription{
			id: string(c.M.ID), row: c.F.Row, at: c.St.Now, exchange: c.F.Exchange,
			filter: slices.Clone(Member(c.M.Params, "notifications")),
		})
	case c.M.IsAnswer():
		if s := subs.named(c.M.ID, c.St.Now); s != nil {
			s.end(c.St.Now, Server)
		}
	case c.told():
		if s := c.subscription(); s != nil {
			s.acknowledged = true
		}
	}
}

func wrongFilter(c *Context) {
	if !c.M.IsRequest() || !c.M.Modern() {
		return
	}
	filter := Member(c.M.Params, "notifications")
	switch kind := Kind(filter); kind {
	case "object":
	case "":
		c.Report(At("params"), "reason", "is missing")
		return
	default:
		c.Report(At("params", "notifications"), "reason", "is "+withArticle(kind)+", not an object")
		return
	}
	for name, value := range jsonrpc.Members(filter) {
		want := ""
		switch string(name) {
		case "toolsListChanged", "promptsListChanged", "resourcesListChanged":
			if Kind(value) != "boolean" {
				want = "not true or false"
			}
		case "resourceSubscriptions", "taskIds":
			if !isStrings(value) {
				want = "not a list of strings"
			}
		}
		if want != "" {
			c.Report(At("params", "notifications", string(name)), "reason", fmt.Sprintf("has a %s that is %s", name, want))
		}
	}
}

// unacknowledged is something else that came first on a subscription.
func unacknowledged(c *Context) {
	what := c.M.Method
	var s *subscription
	switch {
	case c.told() && what != acknowledged:
		s = c.subscription()
	case c.M.IsResult() && what == listen:
		s, what = Own[subscriptions](c.St).named(c.M.ID, c.St.Now), "it was answered"
	}
	if s != nil && s.open() && !s.acknowledged && !s.late {
		s.late = true
		c.Report(Whole, "id", s.id, "method", what)
	}
}

// acknowledgePatience is how long a server may take before that is worth a word.
const acknowledgePatience = 5 * time.Second

func unacknowledgedForLong(c *Context) {
	for _, s := range Own[subscriptions](c.St).list {
		if s.open() && !s.acknowledged && !s.late && c.St.Now.Sub(s.at) >= acknowledgePatience {
			s.late = true
			c.ReportIn(s.row, Whole, "id", s.id, "method", transport.FormatDuration(acknowledgePatience)+" were over")
		}
	}
}

// wrongSubscription is an id that no open subscription has. What has come on
// the exchange of one has to name that one.
func wrongSubscription(c *Context) {
	var id []byte
	place := At("params", "_meta", revision.MetaSubscriptionID)
	wrong := false
	switch {
	case c.told():
		id = c.subscriptionID()
		named, carrier := Own[subscriptions](c.St).named(id, c.St.Now), Own[subscriptions](c.St).on(c.M.Exchange)
		wrong = named == nil || carrier != nil && named != carrier
	case c.M.IsResult() && c.M.Modern() && c.M.Method == listen:
		id = Member(c.M.Result, "_meta", revision.MetaSubscriptionID)
		place = At("result", "_meta", revision.MetaSubscriptionID)
		wrong = string(id) != string(c.M.ID)
	}
	if wrong && id != nil {
		c.Report(place, "got", shownValue(id))
	}
}

// notAskedFor is a kind of change, or a resource or task, that the filter of
// the subscription does not have.
func notAskedFor(c *Context) {
	member, ok := ofSubscriptions[c.M.Method]
	s := c.subscription()
	if !ok || !c.told() || s == nil || Kind(s.filter) != "object" {
		return
	}
	asked := false
	switch wish := Member(s.filter, member); member {
	case "resourceSubscriptions":
		uri := Text(c.M.Params, "uri")
		for v := range jsonrpc.Elements(wish) {
			above, _ := jsonrpc.Unquote(v)
			asked = asked || strings.HasPrefix(uri, above) // what lies below it counts as well
		}
	case "taskIds":
		id := Text(c.M.Params, "taskId")
		for v := range jsonrpc.Elements(wish) {
			known, _ := jsonrpc.Unquote(v)
			asked = asked || id == known
		}
	default:
		asked = string(wish) == "true"
	}
	if !asked {
		c.Report(Whole, "id", s.id)
	}
}

// dropped tells of a subscription that has ended without a word.
func (c *Context) dropped(s *subscription) {
	if s.open() {
		c.ReportIn(s.row, Whole, "id", s.id)
	}
}
