// Package events checks the extension Events (SEP-3415): the declaration, the event types, polls, streams and
// subscriptions, and how a client uses them.
package events

import (
	"slices"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/record/flow"
)

// The methods of the extension that rules are about.
var (
	discovery   = []string{"server/discover"}
	listing     = []string{revision.EventsList}
	polling     = []string{revision.EventsPoll}
	subscribing = []string{revision.EventsSubscribe}
	managing    = []string{revision.EventsSubscribe, revision.EventsUnsubscribe}
	// uses lists the requests that name an event type.
	uses = []string{revision.EventsPoll, revision.EventsStream, revision.EventsSubscribe}
	all  = []string{revision.EventsList, revision.EventsPoll, revision.EventsStream, revision.EventsSubscribe, revision.EventsUnsubscribe}
	// onStream lists the notifications of an events stream.
	onStream = []string{revision.EventsActive, revision.EventsEvent, revision.EventsHeartbeat, revision.EventsError, revision.EventsTerminated}
)

// Rules check events.
var Rules = slices.Concat(declarationRules, typeRules, occurrenceRules, pollRules, streamRules, subscriptionRules, clientRules, deliveryRules, watchers)

// watchers holds the functions that update the state for the rules. They run last.
var watchers = []lint.Rule{
	{Methods: uses, After: watchCursors},
	{Methods: onStream, After: watchCursors},
	{Methods: polling, After: watchPolls},
	{Methods: []string{revision.EventsStream}, After: watchStreamRequests},
	{Methods: onStream, When: lint.FromServer | lint.Notification, After: watchFrames},
	{Methods: []string{"notifications/cancelled"}, When: lint.FromClient, After: watchCancelled},
	{Kinds: lint.Responses, When: lint.FromServer | lint.Matched, After: watchRead},
	{HTTP: watchExchanges},
	{Methods: managing, When: lint.Matched, After: watchSubscriptions},
	{Methods: managing, After: watchCallbacks},
	{Delivery: watchDeliveries},
}

// names of the delivery modes, by request
var modes = map[string]string{
	revision.EventsPoll: revision.DeliveryPoll, revision.EventsStream: revision.DeliveryPush, revision.EventsSubscribe: revision.DeliveryWebhook,
}

// listed returns an event type from the server's list. known is false while the list is incomplete.
func listed(c *lint.Context, name string) (event []byte, known bool) {
	list := c.St.Lists[revision.EventsList]
	return c.Listed(list, name), list != nil && list.Complete
}

// A wants is the subject of a client's request: an event type with arguments.
type wants struct {
	name string
	args []byte // raw JSON, or nil
}

func wantsOf(params []byte) wants {
	return wants{jsonrpc.Text(params, "name"), jsonrpc.Get(params, "arguments")}
}

// key returns a key that is equal for arguments with the same meaning.
func (w wants) key() string {
	args := w.args
	if string(args) == "null" || args == nil {
		args = []byte("{}")
	}
	return lint.ShortKey(w.name) + " " + strconv.FormatUint(jsonrpc.Sum(args), 36)
}

// paramsOf returns the params of the request that a message is or responds to.
func paramsOf(c *lint.Context) []byte {
	if c.M.IsRequest() {
		return c.M.Params
	}
	if c.M.Request == nil || !kept(c.M.Request) {
		return nil
	}
	return c.M.Request.Params
}

// kept reports whether the params of a request are known.
func kept(r *flow.Flow) bool { return r != nil && r.Params != nil }

// textOf returns a member that is a string, and whether it is one. An absent member counts as null.
func textOf(object []byte, name string) (text string, ok bool) {
	return jsonrpc.Unquote(jsonrpc.Get(object, name))
}
