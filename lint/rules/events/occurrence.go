package events

import (
	"slices"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/lint/occurrence"
)

// occurrenceRules check events, in the results of polls and on streams.
var occurrenceRules = []lint.Rule{
	{ID: "V020", Limit: lint.PerMessage(lint.SomeEntries), Methods: carriers, When: lint.FromServer, Message: lint.Each(occurrencesOf, otherName)},
	{ID: "V021", Limit: lint.PerMessage(lint.SomeEntries), Methods: carriers, When: lint.FromServer, Message: lint.Each(occurrencesOf, otherData)},
	{ID: "V022", Limit: lint.PerMessage(lint.SomeEntries), Methods: carriers, When: lint.FromServer, Message: lint.Each(occurrencesOf, badTimestamp)},
	{ID: "V025", Limit: lint.PerMessage(lint.SomeEntries), Methods: carriers, When: lint.FromServer, Message: lint.Each(occurrencesOf, emptyID)},
	{ID: "V023", Limit: lint.PerMessage(lint.SomeEntries), Methods: carriers, When: lint.FromServer, Message: twice},
	{ID: "V024", Limit: lint.OncePerSubject, Methods: slices.Concat(uses, onStream), When: lint.FromServer, Message: cursorComesAndGoes},
}

// carriers lists the messages that contain events.
var carriers = []string{revision.EventsPoll, revision.EventsEvent}

// carried is an event in a message or a delivery.
type carried struct {
	raw   []byte
	at    lint.Place
	wants wants // subscription of the event; without a name if unknown
}

func (o carried) shown() string {
	if id, ok := textOf(o.raw, "eventId"); ok {
		return "Event " + lint.Quoted(id)
	}
	return "An event without eventId"
}

func shownName(name string, index int) string {
	if name == "" {
		return "number " + strconv.Itoa(index+1)
	}
	return lint.Quoted(name)
}

func occurrencesOf(c *lint.Context) []carried {
	switch {
	case c.M.IsNotification():
		o := carried{raw: c.M.Params, at: lint.At("params")}
		if s := streamOf(c); s != nil {
			o.wants = s.wants
		}
		if jsonrpc.TypeOf(o.raw) == "object" {
			return []carried{o}
		}
	case c.M.IsResult():
		var found []carried
		w := wantsOf(paramsOf(c))
		for i, raw := range c.M.Indexed(c.M.Get(c.M.Result, "events")) {
			if jsonrpc.TypeOf(raw) == "object" {
				found = append(found, carried{raw, lint.At("result", "events", i), w})
			}
		}
		return found
	}
	return nil
}

func otherName(c *lint.Context, o carried) {
	if name, isOther := occurrence.OtherName(o.raw, o.wants.name); isOther {
		c.Report(lint.Below(o.at, "/name"), "event", o.shown(), "got", lint.Quoted(name), "want", lint.Quoted(o.wants.name))
	}
}

// otherData compares the data with the payloadSchema of the type of the subscription.
func otherData(c *lint.Context, o carried) {
	listing, _ := listed(c, o.wants.name)
	schema := jsonrpc.Get(listing, "payloadSchema")
	if jsonrpc.TypeOf(schema) != "object" {
		return
	}
	if m, _ := occurrence.Mismatch(o.raw, c.Schema(schema, false)); m != nil {
		c.Report(lint.Below(o.at, "/data"+m.Path), "event", o.shown(), "name", lint.Quoted(o.wants.name),
			"place", shownPlace("data", m), "reason", m.Reason)
	}
}

func badTimestamp(c *lint.Context, o carried) {
	if text, isInvalid := occurrence.InvalidTime(o.raw); isInvalid {
		c.Report(lint.Below(o.at, "/timestamp"), "event", o.shown(), "got", lint.Quoted(text))
	}
}

func emptyID(c *lint.Context, o carried) {
	if occurrence.IsIDEmpty(o.raw) {
		c.Report(lint.Below(o.at, "/eventId"))
	}
}

// twice reports an eventId that is repeated in the same result or on the same stream.
func twice(c *lint.Context) {
	here := map[string]bool{}
	s := (*stream)(nil)
	if c.M.IsNotification() {
		s = streamOf(c)
	}
	for _, o := range occurrencesOf(c) {
		id, ok := textOf(o.raw, "eventId")
		if !ok {
			continue
		}
		key := lint.ShortKey(id)
		if row, again := s.seenBefore(key); again || here[key] {
			if again {
				c.With(row)
			}
			c.Report(lint.Below(o.at, "/eventId"), "event", o.shown())
		}
		here[key] = true
	}
}

// cursors records whether the messages about an event type had a cursor, by the name of the type.
type cursors map[string]*haveCursors

type haveCursors struct {
	text, null bool
	row        int32 // row of the first message with a cursor
}

// cursorOf returns the raw cursor of a message, or nil if it is null or absent, and the event type. ok is false
// if messages of this kind have no cursor, or the cursor has another type.
func cursorOf(c *lint.Context) (cursor []byte, name string, ok bool) {
	object := c.M.Params
	switch {
	case c.M.Sender() != lint.Server:
		return nil, "", false
	case c.M.IsNotification():
		s := streamOf(c)
		if s == nil || c.M.Method == revision.EventsError || c.M.Method == revision.EventsTerminated {
			return nil, "", false
		}
		name = s.name
	case c.M.IsResult() && c.M.Method != revision.EventsStream:
		name, object = wantsOf(paramsOf(c)).name, c.M.Result
	default:
		return nil, "", false
	}
	switch cursor = c.M.Get(object, "cursor"); jsonrpc.TypeOf(cursor) {
	case "string":
	case "", "null":
		cursor = nil
	default:
		return nil, "", false // the definition reports it
	}
	return cursor, name, name != ""
}

// cursorComesAndGoes reports a message without a cursor about an event type that had one before.
func cursorComesAndGoes(c *lint.Context) {
	cursor, name, ok := cursorOf(c)
	have := (*lint.Own[cursors](c.St))[lint.ShortKey(name)]
	if !ok || have == nil || cursor != nil && !have.null || cursor == nil && !have.text || have.text && have.null {
		return
	}
	at := lint.At("result", "cursor")
	if c.M.IsNotification() {
		at = lint.At("params", "cursor")
	}
	if cursor == nil {
		c.With(have.row).About(name).Report(at, "method", c.M.Method, "name", lint.Quoted(name), "what", "has no cursor", "before", "had one")
	} else {
		c.With(have.row).About(name).Report(at, "method", c.M.Method, "name", lint.Quoted(name), "what", "has a cursor", "before", "had none")
	}
}

func watchCursors(c *lint.Context) {
	cursor, name, ok := cursorOf(c)
	if !ok || c.M.Method == revision.EventsPoll && cursor == nil && eventsHaveCursor(c) {
		return
	}
	own := lint.Own[cursors](c.St)
	key := lint.ShortKey(name)
	have := (*own)[key]
	if have == nil {
		have = &haveCursors{row: c.F.Row}
		lint.Keep(own, lint.MaxSubjects, key, have)
	}
	have.text, have.null = have.text || cursor != nil, have.null || cursor == nil
}

// eventsHaveCursor reports a result of a poll whose events have the cursor.
func eventsHaveCursor(c *lint.Context) bool {
	return jsonrpc.TypeOf(jsonrpc.Get(lint.First(c.M.Get(c.M.Result, "events")), "cursor")) == "string"
}
