package events

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/check"
	"mcptea/lint"
)

// typeRules check the event types, and requests that name one.
var typeRules = []lint.Rule{
	{ID: "V010", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Result | lint.FromServer, Message: eachType(deliveries)},
	{ID: "V011", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Result | lint.FromServer, Message: eachType(missingMembers)},
	{ID: "V012", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Result | lint.FromServer, Message: eachType(brokenSchemas)},
	{ID: "V013", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Result | lint.FromServer | lint.Matched, Message: func(c *lint.Context) {
		c.Duplicates(func(at lint.Place, name string) { c.Report(at, "name", lint.Quoted(name)) })
	}},
	{ID: "V014", Methods: slices.Concat(uses, onStream), When: lint.FromServer, Message: func(c *lint.Context) {
		w, mode, at := accepted(c)
		event, known := listed(c, w.name)
		if all := jsonrpc.Get(event, "delivery"); known && mode != "" && lint.First(all) != nil && !slices.Contains(jsonrpc.Strings(all), mode) {
			c.Report(at, "name", lint.Quoted(w.name), "mode", mode)
		}
	}},
	{ID: "V015", Methods: slices.Concat(uses, onStream), When: lint.FromServer, Message: func(c *lint.Context) {
		w, mode, at := accepted(c)
		event, known := listed(c, w.name)
		schema := jsonrpc.Get(event, "inputSchema")
		if !known || mode == "" || jsonrpc.TypeOf(schema) != "object" {
			return
		}
		args := w.args
		if args == nil {
			args = []byte("{}")
		}
		if m, _ := c.Schema(schema, false).Check(args); m != nil {
			c.Report(at, "name", lint.Quoted(w.name), "place", shownPlace("arguments", m), "reason", m.Reason)
		}
	}},
}

// shownPlace names a place of a value.
func shownPlace(of string, m *check.Mismatch) string {
	if m.About == "" {
		return of
	}
	return of + lint.Escaped(m.About)
}

// entry is an event type of a page.
type entry struct {
	raw   []byte
	index int
}

func (e entry) at(more ...any) lint.Place {
	return lint.At(append([]any{"result", revision.Events.Member, e.index}, more...)...)
}

func (e entry) shown() string { return shownName(jsonrpc.Text(e.raw, "name"), e.index) }

func eachType(check func(*lint.Context, entry)) func(*lint.Context) {
	return func(c *lint.Context) {
		for i, raw := range c.M.Indexed(c.M.Get(c.M.Result, revision.Events.Member)) {
			if jsonrpc.TypeOf(raw) == "object" {
				check(c, entry{raw, i})
			}
		}
	}
}

func deliveries(c *lint.Context, e entry) {
	all := jsonrpc.Get(e.raw, "delivery")
	if jsonrpc.TypeOf(all) != "array" {
		return // the definition reports it
	}
	seen := map[string]bool{}
	for i, raw := range lint.Indexed(all) {
		mode, _ := jsonrpc.Unquote(raw)
		if seen[mode] && mode != "" {
			c.Report(e.at("delivery", i), "name", e.shown(), "what", "it lists "+lint.Quoted(mode)+" twice")
		}
		seen[mode] = true
	}
	if lint.First(all) == nil {
		c.Report(e.at("delivery"), "name", e.shown(), "what", "the list is empty")
	}
}

func missingMembers(c *lint.Context, e entry) {
	for _, member := range []string{"description", "inputSchema", "payloadSchema"} {
		if !lint.Has(e.raw, member) {
			c.Report(e.at(member), "name", e.shown(), "member", member)
		}
	}
}

func brokenSchemas(c *lint.Context, e entry) {
	for _, member := range []string{"inputSchema", "payloadSchema"} {
		schema := jsonrpc.Get(e.raw, member)
		if jsonrpc.TypeOf(schema) != "object" {
			continue
		}
		if p := c.Schema(schema, false).Problem(); p != nil && p.Fault == check.Invalid {
			c.Report(lint.Below(e.at(member), p.Path), "name", e.shown(), "member", member, "reason", p.Reason)
		} else if t := jsonrpc.Get(schema, "type"); jsonrpc.TypeOf(t) == "string" && jsonrpc.Text(schema, "type") != "object" {
			c.Report(e.at(member, "type"), "name", e.shown(), "member", member, "reason", "it describes "+lint.ShownValue(t)+", and the value is always an object")
		}
	}
}

// accepted returns the subject that a server has accepted with the message: a poll or a subscription with its
// result, a stream with its first notification. mode is "" for other messages.
func accepted(c *lint.Context) (w wants, mode string, at lint.Place) {
	switch {
	case c.M.IsResult() && c.M.Method != revision.EventsStream:
		if params := paramsOf(c); params != nil {
			return wantsOf(params), modes[c.M.Method], lint.At("result")
		}
	case c.M.IsNotification() && c.M.Method != revision.EventsTerminated:
		if s := streamOf(c); s != nil && s.frames == 0 {
			return s.wants, revision.DeliveryPush, lint.Whole
		}
	}
	return wants{}, "", lint.Whole
}
