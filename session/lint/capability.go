package lint

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// capabilityRules judge what the sides declared against what they do.
var capabilityRules = slices.Concat(usedRules, declaredRules, inputRules)

// usedRules compare requests, answers and notifications with what was declared.
var usedRules = []rule{
	{id: "C001", message: serverLacks},
	{id: "C002", message: func(c *Context) {
		if c.M.Frame.Dir != transport.In || !c.M.IsRequest() || Kind(c.St.ClientCaps) != "object" {
			return
		}
		if needs := c.needs(revision.Server); len(needs) > 0 && !c.St.ClientOffers(needs...) {
			c.Report(At("method"), "cap", strings.Join(needs, "."))
		}
	}},
	{id: "C003", methods: listChanges(), message: func(c *Context) {
		if c.M.Frame.Dir != transport.In || !c.M.IsNotification() || !c.serverKnown() {
			return
		}
		if needs := c.needs(revision.Server); len(needs) == 2 && !c.St.ServerOffers(needs...) {
			c.Report(At("method"), "cap", needs[0])
		}
	}},
	{id: "C004", methods: []string{"resources/subscribe"}, message: func(c *Context) {
		if c.isCall() && c.serverKnown() && c.St.ServerOffers("resources") && !c.St.ServerOffers("resources", "subscribe") {
			c.Report(At("method"))
		}
	}},
	{id: "C005", message: offeredButMissing},
	{id: "C006", message: func(c *Context) {
		if !c.M.IsResult() || !c.isAnswerToClient() || !c.serverKnown() {
			return
		}
		if needs := c.needs(revision.Client); len(needs) > 0 && !c.St.ServerOffers(needs...) {
			c.Report(Whole, "cap", strings.Join(needs, "."))
		}
	}},
	{id: "C013", methods: []string{"notifications/roots/list_changed"}, message: func(c *Context) {
		if c.M.Frame.Dir == transport.Out && Kind(c.St.ClientCaps) == "object" && !c.St.ClientOffers("roots", "listChanged") {
			c.Report(At("method"))
		}
	}},
	{methods: []string{"initialize", "server/discover"}, after: watchServer},
}

// server is what is remembered of who the server says it is.
type server struct{ name string }

func watchServer(c *Context) {
	if !c.M.IsResult() || c.M.Frame.Dir != transport.In {
		return
	}
	name := Text(c.M.Result, "serverInfo", "name")
	if name == "" {
		name = Text(c.M.Result, "_meta", revision.MetaServerInfo, "name")
	}
	Own[server](c.St).name = strings.Clone(name)
}

// serverKnown reports whether the server has said what it offers, and is not
// just being asked anew.
func (c *Context) serverKnown() bool {
	first := c.St.Initialize
	return Kind(c.St.ServerCaps) == "object" && (first == nil || first.Answered)
}

// needs is the capability that the method of the message hangs on.
func (c *Context) needs(from revision.Sender) []string {
	m, ok := revision.Lookup(c.M.Method)
	if !ok {
		return nil
	}
	return m.Needs(c.M.Revision, from)
}

func (c *Context) isCall() bool { return c.M.IsRequest() && c.M.Frame.Dir == transport.Out }

func (c *Context) isAnswerToClient() bool {
	return c.M.Request != nil && c.M.Frame.Dir == transport.In
}

// listChanges are the notifications about lists of the server.
func listChanges() []string {
	var list []string
	for _, m := range revision.Methods("", revision.Server) {
		if strings.HasSuffix(m.Name, "/list_changed") {
			list = append(list, m.Name)
		}
	}
	return list
}

// serverLacks leaves a missing resources.subscribe to C004.
func serverLacks(c *Context) {
	if !c.isCall() || !c.serverKnown() {
		return
	}
	needs := c.needs(revision.Client)
	if len(needs) == 2 && needs[1] == "subscribe" {
		needs = needs[:1]
	}
	if len(needs) == 0 || c.St.ServerOffers(needs...) {
		return
	}
	name := "the server"
	if s := Own[server](c.St).name; s != "" {
		name = quoted(s)
	}
	c.Report(At("method"), "cap", strings.Join(needs, "."), "server", name)
}

// offeredButMissing takes -32601 by its word only where it can mean nothing but
// the method: servers give it to unknown tools and prompts too. Templates are a
// part of resources that a server may do without.
func offeredButMissing(c *Context) {
	if !c.M.IsError() || c.M.Envelope.Code != jsonrpc.CodeMethodNotFound || !c.isAnswerToClient() || !c.serverKnown() ||
		c.M.Method == "resources/templates/list" {
		return
	}
	if name := c.M.Request.Name; name != "" {
		text := Text(c.M.Error, "message")
		if strings.Contains(text, name) || !strings.Contains(strings.ToLower(text), "method") {
			return
		}
	}
	if needs := c.needs(revision.Client); len(needs) > 0 && c.St.ServerOffers(needs...) {
		c.Report(At("error"), "cap", strings.Join(needs, "."))
	}
}
