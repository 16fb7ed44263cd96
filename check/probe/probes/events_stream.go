package probes

import (
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// eventStream opens streams, waits for heartbeats and for events caused by the triggers, and cancels the
// streams.
func eventStream(r *probe.Run) {
	types := r.EventTypes(revision.DeliveryPush)
	if r.SkipIf(len(types) == 0, "no event type with streams") {
		return
	}
	c := r.Linted(true)
	r.Walk(c, client.Events)
	open := map[string]*openStream{}
	for i, e := range types {
		id := c.ID()
		if i%2 == 1 { // the type of the id must be kept
			id = jsonrpc.IDOf(probe.JSON("mcptea-stream-" + r.Random()))
		}
		s := &openStream{e: e, id: id, name: revision.EventsStream + " of " + e.Name}
		s.o = r.OpenStream(c, s.name, c.RequestAs(id, revision.EventsStream, e.Params(`"cursor":null`)))
		if s.o.Kind == probe.Error || s.o.Kind == probe.Refused {
			if !isEventError(s.o, revision.EventForbidden) {
				r.Of(s.o).About(lint.Error, "event:"+e.Name, "%s, which lists push, returns %s.", s.name, probe.Describe(s.o))
			}
			continue
		}
		open[id.String()] = s
	}
	if len(open) == 0 {
		return
	}
	var excludes *openStream
	if len(r.Triggers()) > 0 {
		for _, e := range types { // for each, add a stream that excludes the events of the triggers
			arguments, ok := excluding(e)
			if !ok {
				continue
			}
			s := &openStream{e: e, id: c.ID(), name: revision.EventsStream + " of " + e.Name + " with arguments that exclude all events"}
			s.o = r.OpenStream(c, s.name, c.RequestAs(s.id, revision.EventsStream, e.With(arguments, `"cursor":null`)))
			if s.o.Kind != probe.Error && s.o.Kind != probe.Refused {
				open[s.id.String()] = s
				excludes = s
			}
			break
		}
	}
	watch := streamWatch(c, open)
	r.Until(func() bool { return watch(revision.EventsActive) })
	notActive(r, c, open, watch)
	poll := beside(r, c, types[0])
	for range streamRounds {
		if !pull(r, c) {
			return
		}
		r.Quiet()
		watch("")
	}
	poll()
	r.UntilHeartbeat(func() bool { return watch(revision.EventsHeartbeat) })
	for _, s := range sortedStreams(open) {
		if !s.has[revision.EventsHeartbeat] && s.has[revision.EventsActive] && !s.over() {
			r.Case(s.name, s.o).About(lint.Warn, "event:"+s.e.Name, "No heartbeat came on the stream of %s in %d s.", s.e.Name, int(r.HeartbeatTime().Seconds()))
		}
	}
	lostOnStream(r, open, excludes)
	for _, s := range sortedStreams(open) {
		if s != excludes {
			continueNewest(r, c, open, s)
			break
		}
	}
	continueStream(r, c, open, excludes)
	cancelStreams(r, c, open)
}

// streamRounds is the number of times that the triggers are called while streams are open, so that the position
// moves from one event to the next.
const streamRounds = 2

// lostOnStream reports a stream without events, although polls of the type return the events that the triggers
// cause.
func lostOnStream(r *probe.Run, open map[string]*openStream, excludes *openStream) {
	if len(r.Triggers()) == 0 {
		return
	}
	for _, s := range sortedStreams(open) {
		if s == excludes || s.has[revision.EventsEvent] || !s.has[revision.EventsActive] || s.over() {
			continue
		}
		if event := cameByPoll(r, s.e); event != "" {
			lost(r.Case(s.name, s.o), s.e, event, "polls return", "an open stream does not have them")
		}
	}
}

// continueStream opens a stream again from its initial cursor. Later events must arrive again, or be reported
// as missing.
func continueStream(r *probe.Run, c *probe.Conn, open map[string]*openStream, excludes *openStream) {
	for _, s := range sortedStreams(open) {
		if s == excludes || !s.has[revision.EventsEvent] || s.over() || len(s.cursor) == 0 || string(s.cursor) == "null" {
			continue
		}
		again := &openStream{e: s.e, id: c.ID(), name: s.name + " from an earlier cursor"}
		again.o = r.OpenStream(c, again.name, c.RequestAs(again.id, revision.EventsStream, s.e.Params(`"cursor":`+string(s.cursor))))
		if again.o.Kind == probe.Error || again.o.Kind == probe.Refused {
			r.Of(again.o).About(lint.Error, "event:"+s.e.Name, "%s, which the server sent with the first message of a stream, returns %s.", again.name, probe.Describe(again.o))
			return
		}
		open[again.id.String()] = again
		watch := streamWatch(c, open)
		r.UntilHeartbeat(func() bool {
			watch("")
			return again.has[revision.EventsEvent] || again.gap || again.over()
		})
		if again.has[revision.EventsActive] && !again.has[revision.EventsEvent] && !again.gap && !again.over() {
			r.Case(again.name, again.o).About(lint.Error, "event:"+s.e.Name, "Events of %s are lost: a stream from a cursor before them does not have them, and truncated is not true.", s.e.Name)
		}
		return
	}
}

// openStream is a stream of the probe.
type openStream struct {
	e      probe.EventType
	id     jsonrpc.ID
	name   string
	o      probe.Outcome
	has    map[string]bool   // methods of its notifications
	cursor []byte            // raw, of the first notifications/events/active
	newest map[string][]byte // raw, the newest cursors by method
	gap    bool              // a notifications/events/active had truncated
	ended  bool              // the response to the request of the stream has arrived
}

// note records a notification of the stream.
func (s *openStream) note(method string, params []byte) {
	if s.has == nil {
		s.has, s.newest = map[string]bool{}, map[string][]byte{}
	}
	s.newest[method] = slices.Clone(jsonrpc.Get(params, "cursor"))
	if method == revision.EventsActive {
		if !s.has[method] {
			s.cursor = slices.Clone(jsonrpc.Get(params, "cursor"))
		}
		s.gap = s.gap || string(jsonrpc.Get(params, "truncated")) == "true"
	}
	s.has[method] = true
}

// over reports a stream that has ended.
func (s *openStream) over() bool { return s.ended || s.has[revision.EventsTerminated] || s.o.IsOver() }

// streamWatch returns a function that takes the messages of a connection. It reports whether all streams have
// received a notification.
func streamWatch(c *probe.Conn, open map[string]*openStream) func(method string) bool {
	return func(method string) bool {
		for _, f := range c.Take() {
			e := jsonrpc.Scan(f.Bytes)
			id, _ := jsonrpc.Member(e.Params.Of(f.Bytes), "_meta", revision.MetaSubscriptionID)
			s := open[string(id)]
			if own := jsonrpc.TokenOf(id); s == nil && own.Present() { // rules are about the type of the id
				s = open[string(own.OfOtherType().Shown())]
			}
			if e.Kind.IsResponse() {
				if s = open[string(e.ID.Of(f.Bytes).Shown())]; s != nil {
					s.ended = true
				}
				continue
			}
			if s == nil && len(open) == 1 {
				for _, only := range open { // rules are about the id
					s = only
				}
			}
			if s != nil {
				s.note(e.MethodName(f.Bytes), e.Params.Of(f.Bytes))
			}
		}
		for _, s := range open {
			if !s.has[method] && !s.has[revision.EventsTerminated] && !s.ended && s.o.Kind != probe.Result {
				return false
			}
		}
		return true
	}
}

func sortedStreams(open map[string]*openStream) (all []*openStream) {
	for _, s := range open {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *openStream) int { return strings.Compare(a.e.Name, b.e.Name) })
	return all
}

// notActive reports streams that do not begin.
func notActive(r *probe.Run, c *probe.Conn, open map[string]*openStream, watch func(string) bool) {
	if watch(revision.EventsActive) {
		return
	}
	for _, s := range sortedStreams(open) {
		if len(s.has) == 0 && !s.over() {
			life := r.Ask(c, r.SignOfLife()+" after it", c.Ping())
			r.Of(s.o).Against(r.SignOfLife()+" after it", life).About(lint.Error, "event:"+s.e.Name, "The stream of %s does not begin with notifications/events/active, and has no other message.", s.e.Name)
		}
	}
}

// cancelStreams ends the streams and causes more events. A rule reports what still arrives.
func cancelStreams(r *probe.Run, c *probe.Conn, open map[string]*openStream) {
	if r.IsHTTP() {
		r.Close(c) // ends them
		return
	}
	for _, s := range sortedStreams(open) {
		r.Provoke(c, "the end of "+s.name, jsonrpc.EncodeNotification("notifications/cancelled", []byte(`{"requestId":`+string(s.id.Bytes())+`}`)))
	}
	r.Ask(c, r.SignOfLife()+" after it", c.Ping())
	for _, t := range r.Triggers() {
		if o, ok := r.Pull(c, t); !ok || o.Kind != probe.Result {
			return
		}
	}
	r.Linger()
}
