package probes

import (
	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// A missing event on one path proves nothing by itself, because the trigger may not have caused one. Another
// path for the same type is the control. All parts of a control use one connection, because each stdio process
// has its own events.

// pollsBehind looks for a poll of a type that lacks an event that has arrived on a stream of the type. It
// returns the poll and the eventId, or "" if there is no such poll.
func pollsBehind(r *probe.Run, e probe.EventType) (o probe.Outcome, event string) {
	onItsOwn(r, e, revision.DeliveryPush, func(c *probe.Conn) {
		from := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))
		if !hasCursor(from) {
			return
		}
		came := streamed(r, c, e)
		if came == "" {
			return
		}
		o = askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+string(from.Member("cursor"))))
		if o.Kind == probe.Result && !hasElements(o.Member("events")) && string(o.Member("truncated")) != "true" {
			event = came
		}
	})
	return o, event
}

// beside polls a type from now on. It returns a function that continues the poll. The linter
// compares the polled events with the events that arrive on the other path of the connection.
func beside(r *probe.Run, c *probe.Conn, e probe.EventType) (later func()) {
	if !e.Lists(revision.DeliveryPoll) {
		return func() {}
	}
	from := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))
	return func() {
		if hasCursor(from) {
			askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+string(from.Member("cursor"))))
		}
	}
}

// onItsOwn calls do with a new connection if the type lists a mode.
func onItsOwn(r *probe.Run, e probe.EventType, mode string, do func(c *probe.Conn)) {
	if !e.Lists(mode) {
		return
	}
	c := r.Linted(true)
	defer r.Close(c)
	r.Walk(c, client.Events) // the linter compares the results with this list
	do(c)
}

// streamed opens a stream of a type, calls the triggers, and returns the eventId of the event that arrives, or
// "".
func streamed(r *probe.Run, c *probe.Conn, e probe.EventType) (event string) {
	id := c.ID()
	o := r.OpenStream(c, revision.EventsStream+" of "+e.Name, c.RequestAs(id, revision.EventsStream, e.Params(`"cursor":null`)))
	if o.Kind == probe.Error || o.Kind == probe.Refused || !r.Awaits(c, revision.EventsActive) || !pull(r, c) {
		return ""
	}
	r.Until(func() bool {
		for _, f := range c.Take() {
			if m := jsonrpc.Scan(f.Bytes); m.HasMethod(f.Bytes, revision.EventsEvent) {
				event = jsonrpc.Text(m.Params.Of(f.Bytes), "eventId")
			}
		}
		return event != ""
	})
	return event
}

// polled calls the triggers between two polls of a type, and returns the eventId from the second poll, or "".
func polled(r *probe.Run, c *probe.Conn, e probe.EventType) (event string) {
	from := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))
	if !hasCursor(from) || !pull(r, c) {
		return ""
	}
	r.Until(func() bool {
		o := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+string(from.Member("cursor"))))
		for occurrence := range jsonrpc.Elements(o.Member("events")) {
			event = jsonrpc.Text(occurrence, "eventId")
		}
		return event != "" || o.Kind != probe.Result
	})
	return event
}

// cameByPoll returns the eventId of an event of a type that the triggers cause and a poll returns, or "".
func cameByPoll(r *probe.Run, e probe.EventType) (event string) {
	onItsOwn(r, e, revision.DeliveryPoll, func(c *probe.Conn) { event = polled(r, c, e) })
	return event
}

// cameOnStream is like cameByPoll, but for a stream.
func cameOnStream(r *probe.Run, e probe.EventType) (event string) {
	onItsOwn(r, e, revision.DeliveryPush, func(c *probe.Conn) { event = streamed(r, c, e) })
	return event
}

// elsewhere returns the eventId of an event that the triggers cause and a poll or a stream has, and the words for that path; or
// "" if there is none.
func elsewhere(r *probe.Run, e probe.EventType) (event, on string) {
	if event = cameByPoll(r, e); event != "" {
		return event, "polls return"
	}
	return cameOnStream(r, e), "come on a stream"
}

// lost reports that events of a type arrive on one path and not on another.
func lost(about probe.Judgment, e probe.EventType, event, on, lacking string) {
	about.About(lint.Error, "event:"+e.Name, "Events of %s are lost: the triggers cause events that %s (such as %s), and %s.", e.Name, on, event, lacking)
}
