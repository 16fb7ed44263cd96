package resources

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

// follower is a resource of whose changes the client wants to hear.
type follower struct {
	key    string        // of its URI
	listen *rule.Request // the request that keeps it; nil for resources/subscribe
	ended  time.Time
}

// follower are all of a connection.
type followers []follower

// lingering is how long updates may still arrive after the end of a
// follower: they were on their way.
const lingering = 5 * time.Second

// over reports whether a follower ended so long ago that nothing of it can
// be on its way.
func (s *follower) over(now time.Time) bool {
	if s.listen != nil && s.listen.Cancelled && s.ended.IsZero() {
		s.ended = s.listen.CancelledAt
	}
	return !s.ended.IsZero() && now.Sub(s.ended) > lingering
}

func watchFollowers(c *rule.Context) {
	all := rule.Own[followers](c.St)
	switch {
	case c.M.IsRequest() && c.M.Method == "resources/subscribe":
		key := uriKey(rule.Text(c.M.Params, "uri"))
		all.drop(func(old *follower) bool { return old.over(c.St.Now) || old.listen == nil && old.key == key })
		*all = append(*all, follower{key: key})
	case c.M.IsRequest() && c.M.Method == "subscriptions/listen":
		listen := c.St.Request(c.M.Frame.Dir, c.M.ID)
		all.drop(func(old *follower) bool { return old.over(c.St.Now) })
		for uri := range jsonrpc.Elements(rule.Member(c.M.Params, "notifications", "resourceSubscriptions")) {
			if text, ok := jsonrpc.Unquote(uri); ok {
				*all = append(*all, follower{key: uriKey(text), listen: listen})
			}
		}
	case c.M.IsResponse() && c.M.Request != nil:
		all.answered(c.M, c.St.Now)
	}
}

func (s *followers) drop(old func(*follower) bool) {
	*s = slices.DeleteFunc(*s, func(sub follower) bool { return old(&sub) })
}

// answered ends what an answer ends: of a listen request any, of the other two
// a follower that failed or an end that did not.
func (s *followers) answered(m *rule.Message, now time.Time) {
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

func updateUnasked(c *rule.Context) {
	uri, ok := jsonrpc.Unquote(rule.Member(c.M.Params, "uri"))
	if !ok {
		return
	}
	key := uriKey(uri)
	all := *rule.Own[followers](c.St)
	for i := range all {
		if isBelow(key, all[i].key) && !all[i].over(c.St.Now) {
			return
		}
	}
	c.Report(rule.At("params", "uri"), "uri", `"`+rule.ShownURI(uri)+`"`)
}
