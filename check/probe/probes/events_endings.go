package probes

import (
	"slices"
	"strconv"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// rotated subscribes with a new secret and checks which secret signs. Events from before the response are
// signed with the previous secret.
func rotated(r *probe.Run, s *subscriber, good delivered) {
	good.to.Rotate()
	o := s.to("with another secret", good.to)
	before, hits := len(good.to.Events()), len(good.to.Hits())
	if o.Kind != probe.Result || !pull(r, s.c) {
		return
	}
	r.Until(func() bool { return good.to.SignedCurrent() > 0 })
	if good.to.SignedCurrent() == 0 && len(good.to.Events()) > before {
		r.Of(o).Itself().About(lint.Error, "event:"+s.e.Name, "After a refresh with another secret deliveries are not signed with it.")
	}
	lostLater(r, s, good, hits)
}

// afterEnd ends the subscription, and causes another event.
func afterEnd(r *probe.Run, s *subscriber, good delivered) {
	other, ok := r.Callback()
	if !ok || s.to("to a callback that stays", other).Kind != probe.Result {
		return
	}
	o := s.unsubscribe("", s.e.With(s.e.Arguments, `"delivery":{"mode":"webhook","url":`+probe.JSON(good.to.URL)+`}`))
	before, was := len(good.to.Events()), len(other.Events())
	if o.Kind != probe.Result || !pull(r, s.c) {
		return
	}
	r.Until(func() bool { return len(other.Events()) > was })
	r.Linger()
	late := 0
	for _, h := range good.to.Events()[before:] { // an event on its way has not reached the other callback in the meantime
		if slices.ContainsFunc(other.Events()[was:], func(since probe.Hit) bool { return since.EventID == h.EventID }) {
			late++
		}
	}
	if late > 0 {
		r.Of(o).Itself().About(lint.Error, "event:"+s.e.Name, "An event is delivered after events/unsubscribe (%s).", strconv.Itoa(late))
	}
}

// leased creates a subscription with a short lease, lets it expire, and causes an event. A rule reports events
// that still arrive.
func leased(r *probe.Run, s *subscriber, good delivered) {
	to, ok := r.Callback()
	if !ok {
		return
	}
	o := s.to("with a short ttlMs", to, `"ttlMs":1000`)
	text, _ := jsonrpc.Unquote(o.Member("refreshBefore"))
	until, err := time.Parse(time.RFC3339Nano, text)
	before := len(good.to.Events())
	if o.Kind != probe.Result || err != nil || !r.Outlasts(until) || !pull(r, s.c) {
		return
	}
	r.Until(func() bool { return len(good.to.Events()) > before })
	r.Linger()
}

// lostLater reports a callback that has received events, and since a number of deliveries receives no more, although another
// path has later events.
func lostLater(r *probe.Run, s *subscriber, good delivered, since int) {
	if len(good.to.Hits()) > since {
		return
	}
	event, on := elsewhere(r, s.e)
	if event == "" {
		return
	}
	if r.UntilHeartbeat(func() bool { return len(good.to.Hits()) > since }); len(good.to.Hits()) == since {
		lost(r.Of(good.o).Itself(), s.e, event, on, "after "+phrase.Count(len(good.to.Events()), "event")+" none was delivered to the callback")
	}
}
