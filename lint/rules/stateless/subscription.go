package stateless

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

const (
	listen       = "subscriptions/listen"
	acknowledged = "notifications/subscriptions/acknowledged"
)

// filterMembers maps the notifications that require a subscription to the member of the filter.
var filterMembers = map[string]string{
	"notifications/tools/list_changed":     "toolsListChanged",
	"notifications/prompts/list_changed":   "promptsListChanged",
	"notifications/resources/list_changed": "resourcesListChanged",
	"notifications/resources/updated":      "resourceSubscriptions",
	"notifications/tasks":                  "taskIds",
	"notifications/events/list_changed":    "eventsListChanged",
}

var subscriptionMethods = append(revision.ListChanges(), "notifications/resources/updated", "notifications/tasks", acknowledged)

// subscriptionRules check subscriptions (2026-07-28, basic / patterns /
// subscriptions).
var subscriptionRules = []lint.Rule{
	{ID: "X010", Limit: lint.PerMessage(lint.SomeMembers)},
	{ID: "X011", Methods: append([]string{listen}, subscriptionMethods...), Message: unacknowledged, Tick: unacknowledgedAfterTimeout},
	{ID: "X012", Methods: []string{acknowledged}, Message: func(c *lint.Context) {
		s, granted := grantedFilter(c)
		if extra := parseFilter(granted).without(parseFilter(s.filter)); len(extra) > 0 {
			c.Report(lint.At("params", "notifications", extra[0].member), "extra", extra)
		}
	}},
	{ID: "X013", Methods: subscriptionMethods, Message: func(c *lint.Context) {
		if isServerNotification(c) && subscriptionID(c) == nil {
			c.Report(lint.At("params", "_meta", revision.MetaSubscriptionID))
		}
	}},
	{ID: "X014", Methods: append([]string{listen}, subscriptionMethods...), Message: wrongSubscription},
	{ID: "X015", Methods: subscriptionMethods, Message: outsideFilter},
	{ID: "X016", Methods: []string{"notifications/progress", "notifications/message"}, Message: func(c *lint.Context) {
		if !isServerNotification(c) {
			return
		}
		switch subs := lint.Own[subscriptions](c.St); {
		case subscriptionID(c) != nil:
			c.Report(lint.At("params", "_meta", revision.MetaSubscriptionID))
		case subs.on(c.M.Exchange) != nil:
			c.Report(lint.Whole)
		}
	}},
	{ID: "X017", End: func(c *lint.Context) {
		if c.End.By == lint.Client || !c.St.StdinClosed.IsZero() {
			return
		}
		for _, s := range lint.Own[subscriptions](c.St).list {
			reportDropped(c, s)
		}
	}, HTTP: func(c *lint.Context) {
		// Over HTTP a client takes a request back by closing its exchange.
		if s := lint.Own[subscriptions](c.St).on(c.X); s != nil && c.X.Done && c.X.Status/100 == 2 && !c.X.ClosedLocally() {
			reportDropped(c, s)
		}
	}},
	{ID: "X018", Methods: []string{acknowledged}, Message: func(c *lint.Context) {
		s, granted := grantedFilter(c)
		if missing := parseFilter(s.filter).without(parseFilter(granted)); len(missing) > 0 {
			c.Report(lint.At("params", "notifications"), "missing", missing)
		}
	}},
	{Methods: []string{listen, acknowledged, "notifications/cancelled"}, After: watchSubscriptions, HTTP: func(c *lint.Context) {
		if s := lint.Own[subscriptions](c.St).on(c.X); s != nil && c.X.Done {
			s.end(c.St.Now, lint.Server)
		}
	}},
}

// subscription is a subscription of the client.
type subscription struct {
	id       jsonrpc.ID // raw, of its request
	row      int32
	at       time.Time
	exchange uint32 // 0 over stdio
	filter   []byte // raw, a copy
	// acknowledged reports that the server has acknowledged it; reported, that
	// X011 was reported.
	acknowledged, reported bool

	ended time.Time // zero while it is open
	by    lint.Side // side that ended it
}

func (s *subscription) open() bool { return s.ended.IsZero() }

func (s *subscription) end(at time.Time, by lint.Side) {
	if s.open() {
		s.ended, s.by = at, by
	}
}

// subscriptions holds the subscriptions of a connection, except subscriptions that ended long ago.
type subscriptions struct {
	list []*subscription
}

// crossingGrace is the time in which notifications of a subscription can still arrive after the client has ended it.
const crossingGrace = 5 * time.Second

// forget drops the subscriptions that ended long ago.
func (s *subscriptions) forget(now time.Time) {
	s.list = slices.DeleteFunc(s.list, func(s *subscription) bool { return !s.open() && now.Sub(s.ended) > crossingGrace })
}

// named finds the open one of an id, or one that its client has only just
// ended.
func (s *subscriptions) named(id jsonrpc.Token, now time.Time) *subscription {
	for _, sub := range slices.Backward(s.list) {
		if id.Is(sub.id) && (sub.open() || sub.by == lint.Client && now.Sub(sub.ended) <= crossingGrace) {
			return sub
		}
	}
	return nil
}

// on finds the open one of an exchange.
func (s *subscriptions) on(x *lint.Exchange) *subscription {
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

// isServerNotification reports a notification of a server in a revision with subscriptions.
func isServerNotification(c *lint.Context) bool {
	return c.M.IsNotification() && c.M.IsStateless() && c.M.Sender() == lint.Server
}

func subscriptionID(c *lint.Context) []byte {
	return jsonrpc.Get(c.M.Params, "_meta", revision.MetaSubscriptionID)
}

// subscriptionOf returns the subscription that a notification names, or whose stream carries it, or nil.
func subscriptionOf(c *lint.Context) *subscription {
	subs := lint.Own[subscriptions](c.St)
	if id := subscriptionID(c); id != nil {
		return subs.named(jsonrpc.TokenOf(id), c.St.Now)
	}
	return subs.on(c.M.Exchange)
}

// grantedFilter returns the acknowledged filter and its subscription; an empty
// one if that is unknown.
func grantedFilter(c *lint.Context) (*subscription, []byte) {
	granted := c.M.Get(c.M.Params, "notifications")
	if s := subscriptionOf(c); s != nil && isServerNotification(c) && jsonrpc.TypeOf(granted) == "object" && jsonrpc.TypeOf(s.filter) == "object" {
		return s, granted
	}
	return &subscription{}, nil
}

func watchSubscriptions(c *lint.Context) {
	subs := lint.Own[subscriptions](c.St)
	switch {
	case !c.M.IsStateless():
	case c.M.Method == "notifications/cancelled": // either side may end one
		if s := subs.named(jsonrpc.TokenOf(c.M.Get(c.M.Params, "requestId")), c.St.Now); s != nil {
			s.end(c.St.Now, c.M.Sender())
		}
	case c.M.IsRequest():
		subs.forget(c.St.Now)
		subs.list = append(subs.list, &subscription{
			id: c.M.ID.ID(), row: c.F.Row, at: c.St.Now, exchange: c.F.Exchange,
			filter: slices.Clone(c.M.Get(c.M.Params, "notifications")),
		})
	case c.M.IsResponse():
		if s := subs.named(c.M.ID, c.St.Now); s != nil {
			s.end(c.St.Now, lint.Server)
		}
	case isServerNotification(c):
		if s := subscriptionOf(c); s != nil {
			s.acknowledged = true
		}
	}
}

// unacknowledged reports a message on a subscription before its acknowledgement.
func unacknowledged(c *lint.Context) {
	what := c.M.Method
	var s *subscription
	switch {
	case isServerNotification(c) && what != acknowledged:
		s = subscriptionOf(c)
	case c.M.IsResult() && what == listen:
		s, what = lint.Own[subscriptions](c.St).named(c.M.ID, c.St.Now), "it was answered"
	}
	if s != nil && s.open() && !s.acknowledged && !s.reported {
		s.reported = true
		c.Report(lint.Whole, "id", s.id, "method", what)
	}
}

// acknowledgeTimeout bounds the time until the acknowledgement.
const acknowledgeTimeout = 15 * time.Second

func unacknowledgedAfterTimeout(c *lint.Context) {
	for _, s := range lint.Own[subscriptions](c.St).list {
		if s.open() && !s.acknowledged && !s.reported && c.St.Now.Sub(s.at) >= acknowledgeTimeout {
			s.reported = true
			c.ReportIn(s.row, lint.Whole, "id", s.id, "method", phrase.Duration(acknowledgeTimeout)+" were over")
		}
	}
}

// wrongSubscription reports an id that no open subscription has. A notification on the stream of a subscription
// must have the id of that subscription.
func wrongSubscription(c *lint.Context) {
	var id []byte
	place := lint.At("params", "_meta", revision.MetaSubscriptionID)
	wrong := false
	switch {
	case isServerNotification(c):
		id = subscriptionID(c)
		named, carrier := lint.Own[subscriptions](c.St).named(jsonrpc.TokenOf(id), c.St.Now), lint.Own[subscriptions](c.St).on(c.M.Exchange)
		wrong = named == nil || carrier != nil && named != carrier
	case c.M.IsResult() && c.M.IsStateless() && c.M.Method == listen:
		id = jsonrpc.Get(c.M.Result, "_meta", revision.MetaSubscriptionID)
		place = lint.At("result", "_meta", revision.MetaSubscriptionID)
		wrong = !jsonrpc.TokenOf(id).Same(c.M.ID)
	}
	if wrong && id != nil {
		c.Report(place, "got", lint.ShownValue(id))
	}
}

// outsideFilter reports a kind of change, a resource or a task that is not in the filter of the subscription.
func outsideFilter(c *lint.Context) {
	member, ok := filterMembers[c.M.Method]
	s := subscriptionOf(c)
	if !ok || !isServerNotification(c) || s == nil || jsonrpc.TypeOf(s.filter) != "object" {
		return
	}
	asked := false
	switch wish := jsonrpc.Get(s.filter, member); member {
	case "resourceSubscriptions":
		uri := c.M.Text(c.M.Params, "uri")
		for _, above := range jsonrpc.Strings(wish) {
			asked = asked || strings.HasPrefix(uri, above) // resources below it are included
		}
	case "taskIds":
		asked = slices.Contains(jsonrpc.Strings(wish), c.M.Text(c.M.Params, "taskId"))
	default:
		asked = string(wish) == "true"
	}
	if !asked {
		c.Report(lint.Whole, "id", s.id)
	}
}

// reportDropped reports a subscription that ended without a response.
func reportDropped(c *lint.Context, s *subscription) {
	if s.open() {
		c.ReportIn(s.row, lint.Whole, "id", s.id)
	}
}

// filterEntry is one entry of the filter of subscriptions/listen: a kind of
// change, or one value of a list.
type filterEntry struct {
	member string
	value  string // empty for a kind
}

func (w filterEntry) String() string {
	if w.value == "" {
		return lint.Escaped(w.member)
	}
	return lint.Escaped(w.member) + " " + lint.Quoted(w.value)
}

type filterEntries []filterEntry

// parseFilter returns the entries of a filter. It leaves out entries that are false or have an
// unknown form.
func parseFilter(filter []byte) filterEntries {
	var list filterEntries
	for name, value := range jsonrpc.Members(filter) {
		switch {
		case string(value) == "true":
			list = append(list, filterEntry{member: string(name)})
		case jsonrpc.TypeOf(value) == "array":
			for v := range jsonrpc.Elements(value) {
				text, ok := jsonrpc.Unquote(v)
				if !ok {
					text = string(v)
				}
				list = append(list, filterEntry{string(name), text})
			}
		}
	}
	return list
}

// without returns the entries that another filter lacks.
func (l filterEntries) without(other filterEntries) filterEntries {
	has := make(map[filterEntry]bool, len(other))
	for _, w := range other {
		has[w] = true
	}
	var rest filterEntries
	for _, w := range l {
		if !has[w] {
			rest = append(rest, w)
		}
	}
	return rest
}

// String names the first few.
func (l filterEntries) String() string {
	names := make([]string, len(l))
	for i, w := range l {
		names[i] = w.String()
	}
	return phrase.JoinFirst(names, 5)
}
