package resources

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/flow"
	"mcptea/session/lint/rule"
)

// subscriber is a resource that the client has subscribed to.
type subscriber struct {
	key    string     // of its URI
	listen *flow.Flow // the request that keeps it; nil for resources/subscribe
	ended  time.Time
}

// subscribers are those of a connection.
type subscribers []subscriber

// updateGrace is how long updates may arrive after the end of a subscription.
const updateGrace = 5 * time.Second

// isExpired reports whether a subscription ended so long ago that no update of it
// can still arrive.
func (s *subscriber) isExpired(now time.Time) bool {
	if s.listen != nil && s.listen.State == flow.Cancelled && s.ended.IsZero() {
		s.ended = s.listen.Ended
	}
	return !s.ended.IsZero() && now.Sub(s.ended) > updateGrace
}

func watchSubscribers(c *rule.Context) {
	all := rule.Own[subscribers](c.St)
	switch {
	case c.M.IsRequest() && c.M.Method == "resources/subscribe":
		key := uriKey(rule.Text(c.M.Params, "uri"))
		all.drop(func(old *subscriber) bool { return old.isExpired(c.St.Now) || old.listen == nil && old.key == key })
		*all = append(*all, subscriber{key: key})
	case c.M.IsRequest() && c.M.Method == "subscriptions/listen":
		listen := c.St.Request(c.M.Frame.Dir, c.M.ID)
		all.drop(func(old *subscriber) bool { return old.isExpired(c.St.Now) })
		for _, uri := range jsonrpc.Strings(rule.Member(c.M.Params, "notifications", "resourceSubscriptions")) {
			*all = append(*all, subscriber{key: uriKey(uri), listen: listen})
		}
	case c.M.IsResponse() && c.M.Request != nil:
		all.handleResponse(c.M, c.St.Now)
	}
}

func (s *subscribers) drop(old func(*subscriber) bool) {
	*s = slices.DeleteFunc(*s, func(sub subscriber) bool { return old(&sub) })
}

// handleResponse ends a subscription: any response to subscriptions/listen, an
// error for resources/subscribe, a result for resources/unsubscribe.
func (s *subscribers) handleResponse(m *rule.Message, now time.Time) {
	key := uriKey(rule.Text(m.Request.Params, "uri"))
	for i := range *s {
		sub := &(*s)[i]
		switch {
		case m.Method == "subscriptions/listen":
			if sub.listen == m.Request {
				sub.ended = now
			}
		case sub.listen == nil && sub.key == key && m.IsError() == (m.Method == "resources/subscribe"):
			sub.ended = now
		}
	}
}

func unsubscribedUpdate(c *rule.Context) {
	uri, ok := jsonrpc.Unquote(rule.Member(c.M.Params, "uri"))
	if !ok {
		return
	}
	key := uriKey(uri)
	all := *rule.Own[subscribers](c.St)
	for i := range all {
		if isBelow(key, all[i].key) && !all[i].isExpired(c.St.Now) {
			return
		}
	}
	c.Report(rule.At("params", "uri"), "uri", `"`+rule.ShownURI(uri)+`"`)
}
