package apps

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/offer/declared"
)

// messageRules checks the messages of an app to its host.
var messageRules = []lint.Rule{
	{ID: "U040", App: ofApp(notAMessage)},
	{ID: "U041", App: ofApp(beforeInitialize)},
	{ID: "U042", App: ofApp(initializeMembers)},
	{ID: "U043", App: ofApp(toolNotForApps)},
	{ID: "U044", App: blockedByPolicy},
}

// ofApp calls a rule with the messages of apps.
func ofApp(check func(*lint.Context)) func(*lint.Context) {
	return func(c *lint.Context) {
		if c.M != nil && c.F.Dir == transport.In {
			check(c)
		}
	}
}

func notAMessage(c *lint.Context) {
	e := c.M.Envelope
	switch flaws := (e.Flaws & (jsonrpc.FlawNoVersion | jsonrpc.FlawVersion | jsonrpc.FlawIDType)).Texts(); {
	case e.Kind == jsonrpc.Invalid:
		c.Report(lint.Whole, "fault", e.Fault)
	case e.Kind == jsonrpc.Batch:
		c.Report(lint.Whole, "fault", "an array")
	case len(flaws) > 0:
		c.Report(lint.Whole, "fault", flaws[0])
	}
}

func beforeInitialize(c *lint.Context) {
	kind := c.M.Envelope.Kind
	if c.App.Initialize == 0 && (kind == jsonrpc.Request || kind == jsonrpc.Notification) && c.M.Method != "ui/initialize" && c.M.Method != "ping" {
		c.Report(lint.At("method"), "method", lint.Escaped(c.M.Method))
	}
}

func initializeMembers(c *lint.Context) {
	if c.M.Method != "ui/initialize" || c.M.Envelope.Kind != jsonrpc.Request {
		return
	}
	for _, m := range []struct{ name, kind string }{{"appInfo", "object"}, {"appCapabilities", "object"}, {"protocolVersion", "string"}} {
		if value := jsonrpc.Get(c.M.Params, m.name); jsonrpc.TypeOf(value) != m.kind {
			c.Report(lint.At("params", m.name), "member", m.name, "got", lint.ShownOrMissing(value), "kind", m.kind)
		}
	}
}

func toolNotForApps(c *lint.Context) {
	if c.M.Method != "tools/call" || c.M.Envelope.Kind != jsonrpc.Request {
		return
	}
	name := jsonrpc.Text(c.M.Params, "name")
	if raw, known := c.ListedTool(name); known {
		if tool, _ := declared.OfTool(raw); !tool.ForApp {
			c.Report(lint.At("params", "name"), "tool", lint.Escaped(name))
		}
	}
}

func blockedByPolicy(c *lint.Context) {
	if c.F.EventName != declared.ViolationEvent {
		return
	}
	v, ok := declared.OfViolation(c.F.Bytes)
	report := c.Report
	if v.IsEval() {
		report = c.ReportInfo
	}
	if ok {
		report(lint.At("csp-report", "blocked-uri"), "directive", lint.Escaped(v.Directive), "uri", lint.Escaped(v.URI))
	}
}
