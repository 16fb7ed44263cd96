package probes

import (
	"slices"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/check"
	"mcptea/lint"
)

func hasEvents(r *probe.Run) bool { return r.Server.Offers(client.Events) }

// noSuchEvent is the name of an event type that no server has.
const noSuchEvent = "mcptea.no-such-event"

// eventPoll polls each type from now, and continues from there, so that rules can judge the results. With
// triggers, it compares the events after a cursor.
func eventPoll(r *probe.Run) {
	types, c := r.EventTypes(revision.DeliveryPoll), r.Shared()
	if r.SkipIf(len(types) == 0, "no event type with polls") {
		return
	}
	r.Walk(c, client.Events) // the linter compares the results with this list
	var polled []probe.EventType
	from := map[string]string{}
	for _, e := range types {
		first := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))
		switch {
		case first.IsError(int64(revision.EventForbidden.Code), int64(revision.EventForbidden.Draft)):
			continue // the type may need another principal
		case first.Kind != probe.Result:
			r.Of(first).About(lint.Error, "event:"+e.Name, "A poll of %s from now returns %s.", e.Name, probe.Describe(first))
			continue
		}
		absent := askEvents(r, c, revision.EventsPoll, e, e.Params(""))
		if absent.Kind == probe.Error {
			r.Of(absent).About(lint.Error, "event:"+e.Name, "A poll of %s without cursor returns %s; one with cursor null returns a result.", e.Name, probe.Describe(absent))
		}
		cursors := hasCursor(first) || hasCursor(absent)
		for o := range 3 { // detects a cursor that is in some responses only
			if o == 0 && first.Member("cursor") != nil {
				continuePoll(r, c, e, first)
				continue
			}
			cursors = hasCursor(askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))) || cursors
		}
		if !cursors {
			r.Of(first).Itself().About(lint.Warn, "event:"+e.Name, "Polls of %s return no cursor, so that no event of it can be polled: a poll without a cursor starts from now.", e.Name)
		}
		polled = append(polled, e)
		from[e.Name] = string(first.Member("cursor"))
	}
	if len(r.Triggers()) > 0 {
		pollTriggered(r, c, polled, from)
	}
}

// hasCursor reports whether a result has a position from which a later poll can continue.
func hasCursor(o probe.Outcome) bool {
	cursor := string(o.Member("cursor"))
	return cursor != "" && cursor != "null"
}

// pollRounds is the number of times that the triggers are called, so that a server with little room drops the
// first events.
const pollRounds = 3

// pollTriggered causes events, and polls for them more than once.
func pollTriggered(r *probe.Run, c *probe.Conn, types []probe.EventType, from map[string]string) {
	came := false
	for range pollRounds {
		if !pull(r, c) {
			return
		}
		for _, e := range types {
			cursor := from[e.Name]
			if cursor == "" || cursor == "null" {
				continue
			}
			all := askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+cursor))
			if arguments, ok := excluding(e); ok { // the linter reports excluded events that arrive
				askEvents(r, c, revision.EventsPoll, e, e.With(arguments, `"cursor":`+cursor))
			}
			if all.Kind == probe.Error {
				r.Of(all).About(lint.Error, "event:"+e.Name, "A poll of %s from a cursor of the server fails with %s; a gap is truncated, and no error.", e.Name, probe.Describe(all))
				continue
			}
			if n := jsonrpc.Count(all.Member("events")); all.Member("events") == nil || all.Member("events")[0] != '[' || n < 2 {
				came = came || n == 1
				continue
			}
			came = true
			askEvents(r, c, revision.EventsPoll, e, e.Params(`"maxEvents":1,"cursor":`+cursor))
			if hasCursor(all) { // events before it do not arrive again
				askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":`+string(all.Member("cursor"))))
			}
		}
	}
	if came && r.Age() && pull(r, c) { // old events and a new one: maxAgeMs excludes the old ones
		for _, e := range types {
			if cursor := from[e.Name]; cursor != "" && cursor != "null" {
				askEvents(r, c, revision.EventsPoll, e, e.Params(`"maxAgeMs":1000,"cursor":`+cursor))
			}
		}
	}
	for _, e := range types { // the events now exist, and a poll without a cursor returns none of them
		askEvents(r, c, revision.EventsPoll, e, e.Params(`"cursor":null`))
	}
	if came {
		return
	}
	for _, e := range types {
		if o, event := pollsBehind(r, e); event != "" {
			lost(r.Of(o).Itself(), e, event, "come on a stream", "a poll from a cursor before them does not return them")
			return
		}
	}
	for _, e := range types { // the first polls of a connection may do better
		if event := cameByPoll(r, e); event != "" {
			lost(r.Case("events/poll of "+e.Name), e, event, "the first polls of a new connection return", "later polls of a connection do not return them")
			return
		}
	}
	r.Unjudged("no trigger has caused an event that a poll returns")
}

// excluding returns arguments that exclude every event of a trigger: a text that no event has, for an argument
// named like a text in the payload.
func excluding(e probe.EventType) (arguments string, ok bool) {
	for name, schema := range jsonrpc.Members(jsonrpc.Get(e.Input, "properties")) {
		n := string(name)
		if jsonrpc.Text(schema, "type") == "string" && jsonrpc.Get(schema, "enum") == nil && jsonrpc.Get(schema, "pattern") == nil && jsonrpc.Get(schema, "format") == nil &&
			jsonrpc.Text(e.Raw, "payloadSchema", "properties", n, "type") == "string" {
			return `{` + probe.JSON(n) + `:"mcptea-none-has-this"}`, true
		}
	}
	return "", false
}

// pull calls the triggers, and reports whether all of them returned a result.
func pull(r *probe.Run, c *probe.Conn) bool {
	for _, t := range r.Triggers() {
		o, ok := r.Pull(c, t)
		if !ok || o.Kind != probe.Result || o.ToolError() {
			r.Unjudged("the trigger %s returns %s", t.Tool, probe.Describe(o))
			return false
		}
	}
	return true
}

func askEvents(r *probe.Run, c *probe.Conn, method string, e probe.EventType, params string) probe.Outcome {
	return r.Ask(c, method+" of "+e.Name, c.Request(method, params))
}

// eventRefusals sends requests that must be refused: an unknown type, arguments that the schema rejects, and a
// mode that a type does not list.
func eventRefusals(r *probe.Run) {
	cases := 0
	ask := eventAsker(r)
	r.Walk(r.Shared(), client.Events) // the linter compares the results with this list
	if method := eventMethod(r); method != "" {
		cases++
		unknownEvent(r, ask, method)
	}
	for _, e := range r.EventTypes("") {
		for _, mode := range revision.Deliveries()[:2] { // a subscription needs a callback
			method := map[string]string{revision.DeliveryPoll: revision.EventsPoll, revision.DeliveryPush: revision.EventsStream}[mode]
			if !e.Lists(mode) {
				cases++
				unlistedMode(r, ask, e, mode, method)
			} else if bad, why := badArguments(e); bad != "" {
				cases++
				o := ask(method, "with wrong arguments of "+e.Name, e.With(bad, `"cursor":null`))
				takesArguments(r, o, e, method, why)
			}
		}
	}
	r.SkipIf(cases == 0, "no event type")
}

// eventMethod returns the request that reveals whether the server knows a type.
func eventMethod(r *probe.Run) string {
	switch all := r.EventTypes(""); {
	case slices.ContainsFunc(all, func(e probe.EventType) bool { return e.Lists(revision.DeliveryPoll) }):
		return revision.EventsPoll
	case slices.ContainsFunc(all, func(e probe.EventType) bool { return e.Lists(revision.DeliveryPush) }):
		return revision.EventsStream
	}
	return ""
}

// eventAsker sends requests that may open a stream against the rules: on a connection that is closed then.
func eventAsker(r *probe.Run) func(method, name, params string) probe.Outcome {
	return func(method, name, params string) probe.Outcome {
		if method == revision.EventsPoll {
			c := r.Shared()
			return r.Ask(c, method+" "+name, c.Request(method, params))
		}
		c := r.Linted(true)
		defer r.Close(c)
		r.Walk(c, client.Events)
		return r.Provoke(c, method+" "+name, c.Request(method, params))
	}
}

// isEventError reports an error of the extension, of the numbering that the server may use.
func isEventError(o probe.Outcome, e revision.EventError) bool {
	return o.IsError(int64(e.Code), int64(e.Draft)) // rule V003 is about the numbering
}

func unknownEvent(r *probe.Run, ask func(method, name, params string) probe.Outcome, method string) {
	o := ask(method, "of an unknown event type", `{"name":`+probe.JSON(noSuchEvent)+`,"arguments":{},"cursor":null}`)
	switch {
	case isEventError(o, revision.EventNotFound):
	case o.Kind == probe.Result:
		r.Of(o).Error("%s of an unknown event type returns a result.", method)
	case o.Kind == probe.Error:
		r.Of(o).Error("%s of an unknown event type returns error %s; NotFound, %d, is required.", method, o.ShownCode(), revision.EventNotFound.Code)
	case o.Kind == probe.Silent && method == revision.EventsStream:
		r.Of(o).Error("%s of an unknown event type gets no error.", method)
	}
}

func unlistedMode(r *probe.Run, ask func(method, name, params string) probe.Outcome, e probe.EventType, mode, method string) {
	o := ask(method, "of "+e.Name+", which does not list "+mode, e.Params(`"cursor":null`))
	switch {
	case isEventError(o, revision.EventUnsupported), o.IsError(jsonrpc.CodeMethodNotFound), isEventError(o, revision.EventForbidden):
	case o.Kind == probe.Error:
		r.Of(o).About(lint.Error, "event:"+e.Name, "%s of %s, which does not list %s, returns error %s; Unsupported, %d, is required.", method, e.Name, mode, o.ShownCode(), revision.EventUnsupported.Code)
	}
}

// takesArguments reports an error with a wrong code. Rule V015 reports a result.
func takesArguments(r *probe.Run, o probe.Outcome, e probe.EventType, method, why string) {
	if o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams) && !isEventError(o, revision.EventForbidden) {
		r.Of(o).About(lint.Error, "event:"+e.Name, "%s of %s with arguments that its inputSchema rejects (%s) returns error %s; -32602 is required.", method, e.Name, why, o.ShownCode())
	}
}

// badArguments returns arguments that the schema of a type rejects, and the reason. Both are "" if none are
// found.
func badArguments(e probe.EventType) (arguments, why string) {
	compiled := check.Compile(e.Input, check.Options{})
	try := func(arguments, what string) bool {
		m, ok := compiled.Check([]byte(arguments))
		return ok && m != nil && what != ""
	}
	for _, f := range e.Form.Fields {
		if value := wrong(f); value != "" {
			if a := parse(e.Arguments).with(f.Name, value).encode(); try(a, f.Name) {
				return a, f.Name + " = " + value
			}
		}
	}
	if a := parse(e.Arguments).with("mcpteaExtra", "1").encode(); try(a, "extra") {
		return a, "an extra argument"
	}
	return "", ""
}

// eventListChanged causes a change of the list while one subscription requests its notification and another
// does not. A rule judges what arrives on the other.
func eventListChanged(r *probe.Run) {
	if r.SkipIf(!client.Events.IsDeclared(r.Server.Handshake.ServerCaps, "listChanged"), "no listChanged of events") ||
		r.SkipIf(len(r.Triggers()) == 0, probe.NeedsTrigger) {
		return
	}
	c, other := r.Linted(true), r.Linted(true)
	const method = "subscriptions/listen"
	asked := r.OpenStream(c, method, c.Request(method, `{"notifications":{"eventsListChanged":true}}`))
	if asked.Kind == probe.Error || !r.Awaits(c, acknowledgment) {
		r.Unjudged("%s with eventsListChanged returns %s", method, probe.Describe(asked))
		return
	}
	r.OpenStream(other, method+" without eventsListChanged", other.Request(method, `{"notifications":{}}`))
	before := r.Walk(c, client.Events)
	pulled := pull(r, other) // on the connection of the second subscription, so that its server process has the change, too
	if !pulled || !r.IsHTTP() && !pull(r, c) {
		return
	}
	after := r.Walk(c, client.Events)
	if slices.Equal(namesOf(before), namesOf(after)) {
		r.Skip("no trigger has changed the list of event types")
		return
	}
	if !r.Awaits(c, revision.EventsListChanged) {
		r.Case(client.Events.Method, after.Pages...).Error("The event types have changed, but notifications/events/list_changed, which the subscription requested, was not sent.")
	}
	r.Linger()
}

// namesOf returns the sorted names of the event types in a list.
func namesOf(l *probe.List) (names []string) {
	for _, item := range l.Items {
		names = append(names, jsonrpc.Text(item, client.Events.Key))
	}
	slices.Sort(names)
	return names
}
