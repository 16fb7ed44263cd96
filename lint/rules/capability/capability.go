// Package capability checks that each side uses only what was negotiated, and declares everything that it uses.
package capability

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// Rules compare the declared capabilities with their use.
var Rules = slices.Concat(usedRules, declaredRules, inputRules)

// usedRules compare requests, responses and notifications with the declared
// capabilities.
var usedRules = []lint.Rule{
	{ID: "C001", When: lint.Request | lint.FromClient, Message: undeclaredByServer},
	{ID: "C002", When: lint.FromServer | lint.Request, Message: func(c *lint.Context) {
		if m, _ := revision.Lookup(c.M.Method); m.IsNotification() || jsonrpc.TypeOf(c.St.ClientCaps) != "object" {
			return // a notification with an id is J008
		}
		if needs := requiredCapability(c, revision.Server); len(needs) > 0 && !c.St.ClientOffers(needs...) {
			c.Report(lint.At("method"), "cap", strings.Join(needs, "."))
		}
	}},
	{ID: "C003", Methods: revision.ListChanges(), When: lint.FromServer | lint.Notification, Message: func(c *lint.Context) {
		if !serverDeclared(c) {
			return
		}
		if needs := requiredCapability(c, revision.Server); len(needs) > 1 && !offersFor(c, revision.Server, needs) {
			c.Report(lint.At("method"), "cap", strings.Join(needs[:len(needs)-1], "."))
		}
	}},
	{ID: "C004", Methods: []string{"resources/subscribe"}, Message: func(c *lint.Context) {
		if isCall(c) && serverDeclared(c) && c.St.ServerOffers("resources") && !c.St.ServerOffers("resources", "subscribe") {
			c.Report(lint.At("method"))
		}
	}},
	{When: lint.Result | lint.FromServer | lint.Matched, After: func(c *lint.Context) {
		if _, known := revision.Lookup(c.M.Method); known {
			lint.Own[implemented](c.St).add(c.M.Method)
		}
	}},
	{ID: "C005", When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: declaredButMissing},
	{ID: "C018", When: lint.ErrorResponse | lint.FromClient | lint.Matched, Message: declaredByClientButMissing},
	{ID: "C006", When: lint.Result, Message: func(c *lint.Context) {
		if !isServerResponse(c) || !serverDeclared(c) || isEmptyList(c) || isDefault(c) {
			return
		}
		if needs := requiredCapability(c, revision.Client); len(needs) > 0 && !offersFor(c, revision.Client, needs) {
			c.Report(lint.Whole, "cap", strings.Join(needs, "."))
		}
	}},
	{ID: "C020", Limit: lint.OncePerSubject, Methods: []string{"tools/call"}, When: lint.Result | lint.FromServer | lint.Matched, Message: embeddedUndeclared},
	{ID: "C013", Methods: []string{"notifications/roots/list_changed"}, When: lint.FromClient, Message: func(c *lint.Context) {
		if jsonrpc.TypeOf(c.St.ClientCaps) == "object" && !c.St.ClientOffers("roots", "listChanged") {
			c.Report(lint.At("method"))
		}
	}},
	{Methods: []string{"initialize", "server/discover"}, When: lint.Result | lint.FromServer, After: watchServer},
	{Kinds: lint.Responses, After: watchRefusals},
}

// embeddedUndeclared reports a resource in the result of a tool of a server without resources.
func embeddedUndeclared(c *lint.Context) {
	works := slices.ContainsFunc(lint.Own[implemented](c.St).methods, func(method string) bool { return strings.HasPrefix(method, "resources/") })
	if c.St.ServerCaps == nil || c.St.ServerOffers("resources") || works { // rule C006 is about methods that work
		return
	}
	for i, block := range lint.Indexed(c.M.Get(c.M.Result, "content")) {
		if jsonrpc.IsText(jsonrpc.Get(block, "type"), "resource") {
			c.About(c.M.Request.Name).Report(lint.At("result", "content", i), "name", lint.Escaped(c.M.Request.Name))
			return
		}
	}
}

// isEmptyList reports whether the message is the empty result of a list method. A server may answer all list
// methods, even for lists that it does not offer.
func isEmptyList(c *lint.Context) bool {
	kind, _ := revision.ListOf(c.M.Method)
	list := c.M.Get(c.M.Result, kind.Member)
	return jsonrpc.TypeOf(list) == "array" && lint.First(list) == nil
}

// isDefault reports whether a result offers nothing, as libraries return if the server has no handler: a
// completion without values, a subscription to an unlisted resource, and setting a log level.
func isDefault(c *lint.Context) bool {
	switch c.M.Method {
	case "logging/setLevel": // only log messages show that it has an effect, and N025 reports those
		return true
	case "completion/complete":
		return lint.First(jsonrpc.Get(c.M.Result, "completion", "values")) == nil
	case "resources/subscribe":
		known := c.St.Lists["resources/list"]
		return known.Known() && known.Named(c.M.Request.Name) == nil
	}
	return false
}

// serverInfo is the name of the server.
type serverInfo struct{ name string }

func watchServer(c *lint.Context) {
	name := jsonrpc.Text(c.M.Result, "serverInfo", "name")
	if name == "" {
		name = jsonrpc.Text(c.M.Result, "_meta", revision.MetaServerInfo, "name")
	}
	lint.Own[serverInfo](c.St).name = strings.Clone(name)
}

// serverDeclared reports whether the server's capabilities are known and no new initialize request is pending.
func serverDeclared(c *lint.Context) bool {
	first := c.St.Initialize
	return jsonrpc.TypeOf(c.St.ServerCaps) == "object" && (first == nil || first.HasResponse())
}

// requiredCapability returns the capability that the method of the message requires.
func requiredCapability(c *lint.Context, from revision.Sender) []string {
	m, ok := revision.Lookup(c.M.Method)
	if !ok {
		return nil
	}
	return m.Needs(c.M.Revision, from)
}

// offersFor reports whether the server declares the capability that the method of the message requires, or an
// accepted alternative.
func offersFor(c *lint.Context, from revision.Sender, needs []string) bool {
	m, _ := revision.Lookup(c.M.Method)
	return c.St.ServerOffers(needs...) || m.IsDeclared(c.St.ServerCaps, c.M.Revision, from)
}

func isCall(c *lint.Context) bool { return c.M.IsRequest() && c.M.Frame.Dir == transport.Out }

func isServerResponse(c *lint.Context) bool {
	return c.M.Request != nil && c.M.Frame.Dir == transport.In
}

// undeclaredByServer does not report a missing resources.subscribe, which is
// C004.
func undeclaredByServer(c *lint.Context) {
	if !isCall(c) || !serverDeclared(c) {
		return
	}
	needs := requiredCapability(c, revision.Client)
	if len(needs) == 2 && needs[1] == "subscribe" {
		needs = needs[:1]
	}
	if len(needs) == 0 || offersFor(c, revision.Client, needs) {
		return
	}
	name := "the server"
	if s := lint.Own[serverInfo](c.St).name; s != "" {
		name = lint.Quoted(s)
	}
	c.Report(lint.At("method"), "cap", strings.Join(needs, "."), "server", name)
}

// refusals holds the texts of the client's newest error responses, which a server may return as its own.
type refusals struct{ texts []string }

const maxRefusals = 16

func watchRefusals(c *lint.Context) {
	text := c.M.Text(c.M.Error, "message")
	if c.M.Frame.Dir == transport.Out && c.M.IsError() && text != "" && len(text) <= lint.MaxKeptBytes {
		lint.Own[refusals](c.St).add(text)
	}
}

func (r *refusals) add(text string) {
	if len(r.texts) >= maxRefusals {
		r.texts = slices.Delete(r.texts, 0, 1)
	}
	r.texts = append(r.texts, text)
}

// relayed reports a text that contains one of the client.
func (r *refusals) relayed(text string) bool {
	return slices.ContainsFunc(r.texts, func(own string) bool { return strings.Contains(text, own) })
}

// implemented holds the methods that have returned a result.
type implemented struct{ methods []string }

func (i *implemented) add(method string) {
	if !slices.Contains(i.methods, method) {
		i.methods = append(i.methods, method)
	}
}

// declaredButMissing accepts -32601 only if it is about the method. Servers also return it for unknown tools,
// prompts and resources, and if the client has refused a request that they sent in the meantime. So a method
// that has returned a result is implemented, and only using a listed entry proves anything.
func declaredButMissing(c *lint.Context) {
	if !c.M.IsError() || !c.M.Envelope.ErrorCode().Is(jsonrpc.CodeMethodNotFound) || !isServerResponse(c) || !serverDeclared(c) ||
		isOptional(c.M.Method) || slices.Contains(lint.Own[implemented](c.St).methods, c.M.Method) || usesUnlisted(c) {
		return
	}
	text := c.M.Text(c.M.Error, "message")
	if lint.Own[refusals](c.St).relayed(text) {
		return
	}
	name := cmp.Or(c.M.Request.Name, jsonrpc.Text(c.M.Request.Params, "ref", "name"), jsonrpc.Text(c.M.Request.Params, "ref", "uri"))
	if _, named := revision.NameParam(c.M.Method); named || name != "" {
		if strings.Contains(text, name) || !strings.Contains(strings.ToLower(text), "method") {
			return
		}
	}
	if needs := requiredCapability(c, revision.Client); len(needs) > 0 && offersFor(c, revision.Client, needs) {
		c.Report(lint.At("error"), "cap", strings.Join(needs, "."))
	}
}

// isOptional reports whether a server may lack a method although it declares the capability: templates are an
// optional part of resources, and no mode of events is mandatory.
func isOptional(method string) bool {
	return method == "resources/templates/list" || strings.HasPrefix(method, "events/") && method != revision.EventsList
}

// declaredByClientButMissing recognizes a missing implementation by the error code or by words about the
// method. It ignores a user who declines, and a mode that the client does not declare.
func declaredByClientButMissing(c *lint.Context) {
	if !c.M.IsError() || c.M.Request == nil {
		return
	}
	needs := requiredCapability(c, revision.Server)
	if len(needs) == 0 || !c.St.ClientOffers(needs...) {
		return
	}
	text := strings.ToLower(c.M.Text(c.M.Error, "message"))
	code, _ := lint.ErrorCode(c.M)
	switch {
	case strings.Contains(text, "mode") || strings.Contains(text, "url"):
	case code == jsonrpc.CodeMethodNotFound, lint.ContainsAny(text, "not supported", "unsupported", "not implemented", "no handler", "method not found", "unknown method"):
		c.Report(lint.At("error"), "cap", strings.Join(needs, "."), "code", code)
	}
}

// usesUnlisted reports whether the message responds to the use of an entry that the known part of the server's
// list lacks.
func usesUnlisted(c *lint.Context) bool {
	for _, list := range revision.Lists {
		if list.Use == c.M.Method {
			return !c.St.Lists[list.Method].Lists(c.M.Request.Name)
		}
	}
	return false
}
