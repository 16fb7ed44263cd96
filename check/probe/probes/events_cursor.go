package probes

import (
	"strconv"

	"mcptea/check/probe"
	"mcptea/client/revision"
	"mcptea/lint"
)

// gapAttempts is the number of requests in a row that must report a gap after a cursor that has just arrived. A server may drop
// events at any time, but not each time within milliseconds.
const gapAttempts = 3

// isUnknown reports whether the server does not know its own cursors: each of several results has truncated true.
func isUnknown(request func() (truncated []byte)) bool {
	for range gapAttempts {
		if string(request()) != "true" {
			return false
		}
	}
	return true
}

// unknownCursor reports cursors that the server does not know. what names the cursor and its request.
func unknownCursor(about probe.Judgment, e probe.EventType, what string) {
	about.About(lint.Error, "event:"+e.Name, "%s has truncated true, %d times in a row, although the cursor has just arrived: the server does not know its own cursors, or loses all events.", what, gapAttempts)
}

// continuePoll polls from the cursor of a result.
func continuePoll(r *probe.Run, c *probe.Conn, e probe.EventType, from probe.Outcome) {
	var o probe.Outcome
	isGap := isUnknown(func() []byte {
		if o = askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+string(from.Member("cursor")))); string(o.Member("truncated")) == "true" {
			if from = askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`)); !hasCursor(from) {
				return nil
			}
		}
		return o.Member("truncated")
	})
	switch {
	case isGap:
		unknownCursor(r.Of(o).Itself(), e, "A poll of "+e.Name+" from the cursor of a poll")
	case o.Kind == probe.Error:
		r.Of(o).About(lint.Error, "event:"+e.Name, "A poll of %s from the cursor that the server has just returned fails with %s.", e.Name, probe.Describe(o))
	}
}

// continueNewest opens a stream from the newest cursor of each kind of notification on a stream. A server may keep events for a
// few seconds only, and a stream with a gap starts at the oldest of them. So a new stream gets the cursor that has just
// arrived, and any other cursor is unknown only if the server still knows an older one.
func continueNewest(r *probe.Run, c *probe.Conn, open map[string]*openStream, s *openStream) {
	from := func(cursor []byte) *openStream {
		again := &openStream{e: s.e, id: c.ID(), name: s.name + " from the newest cursor"}
		again.o = r.OpenStream(c, again.name, c.RequestAs(again.id, revision.EventsStream, s.e.Params(`"cursor":`+string(cursor))))
		open[again.id.String()] = again
		watch := streamWatch(c, open)
		r.Until(func() bool {
			watch("")
			return again.has[revision.EventsActive] || again.over() || again.o.Kind == probe.Error
		})
		return again
	}
	for _, method := range []string{revision.EventsEvent, revision.EventsHeartbeat, revision.EventsActive} {
		var again *openStream
		if isUnknown(func() []byte {
			cursor := s.newest[method]
			if again != nil && method == revision.EventsActive {
				cursor = from([]byte("null")).newest[method]
			}
			if isNull(cursor) || s.over() {
				return nil
			}
			again = from(cursor)
			return []byte(strconv.FormatBool(again.gap))
		}) && (method == revision.EventsActive || !from(s.cursor).gap) {
			unknownCursor(r.Case(again.name, again.o), s.e, "A stream of "+s.e.Name+" from the cursor of "+method)
		}
	}
}

// isNull reports whether a raw cursor is null or missing.
func isNull(cursor []byte) bool { return len(cursor) == 0 || string(cursor) == "null" }

// continueDelivered makes subscriptions from the cursor of a delivered event. The cursor is unknown if the server still knows
// the cursor of the subscription, which is older.
func continueDelivered(r *probe.Run, s *subscriber, good delivered) {
	var o probe.Outcome
	from := func(name string, cursor []byte) (truncated []byte) {
		to, ok := r.Callback()
		if !ok || isNull(cursor) {
			return nil
		}
		o = s.to(name, to, `"cursor":`+string(cursor))
		return o.Member("truncated")
	}
	if !isUnknown(func() []byte {
		events := good.to.Events()
		return from("from the cursor of a delivery", events[len(events)-1].Cursor)
	}) {
		return
	}
	judged := o
	if string(from("from the cursor of the first subscription", good.o.Member("cursor"))) == "false" {
		unknownCursor(r.Of(judged).Itself(), s.e, "A subscription to "+s.e.Name+" from the cursor of a delivery")
	}
}

// subscribeFrom makes subscriptions from the cursor of one that was just granted. One with a gap may start at the oldest event
// that the server keeps, so the next begins with the cursor of a new subscription.
func subscribeFrom(r *probe.Run, s *subscriber, first probe.Outcome) {
	from := first
	var last probe.Outcome
	if isUnknown(func() []byte {
		if last.Kind == probe.Result {
			to, ok := r.Callback()
			if !ok {
				return nil
			}
			from = s.to("to another callback", to)
		}
		to, ok := r.Callback()
		if !ok || !hasCursor(from) {
			return nil
		}
		last = s.to("from the cursor of another subscription", to, `"cursor":`+string(from.Member("cursor")))
		return last.Member("truncated")
	}) {
		unknownCursor(r.Of(last).Itself(), s.e, "A subscription to "+s.e.Name+" from the cursor of another subscription")
	}
}
