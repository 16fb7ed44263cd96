package notifications

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/flow"
	"mcptea/session/lint/rule"
)

var onLog = []string{"notifications/message"}

// logRules check log messages.
var logRules = []rule.Rule{
	{ID: "N020", Methods: onLog, Message: func(c *rule.Context) {
		l := &c.M.Members
		if k := jsonrpc.TypeOf(c.M.Params); c.M.Sender() != rule.Server || k != "" && k != "object" {
			return
		}
		if l.Level == nil {
			c.Report(rule.At("params", "level"), "field", "level")
		}
		if l.Data == nil {
			at := rule.At("params", "data")
			if rule.Has(c.M.Params, "message") {
				at = rule.At("params", "message")
			}
			c.Report(at, "field", "data")
		}
	}},
	{ID: "N022", Methods: onLog, Message: func(c *rule.Context) {
		if level := c.M.Members.Level; level != nil && rank(level) < 0 && c.M.Sender() == rule.Server {
			reportLevel(c, level, rule.At("params", "level"))
		}
	}},
	{ID: "N022", Methods: []string{"logging/setLevel"}, Message: func(c *rule.Context) {
		level := jsonrpc.Get(c.M.Params, "level")
		if c.M.IsRequest() && rank(level) < 0 {
			reportLevel(c, level, rule.At("params", "level"))
		}
	}},
	{ID: "N022", Kinds: rule.Requests, When: rule.Stateless, Message: func(c *rule.Context) {
		if level := jsonrpc.Get(c.M.Meta, revision.MetaLogLevel); level != nil && rank(level) < 0 {
			reportLevel(c, level, rule.At("params", "_meta", revision.MetaLogLevel))
		}
	}},
	{ID: "N023", Methods: []string{"logging/message"}, When: rule.Notification | rule.FromServer, Message: func(c *rule.Context) { c.Report(rule.At("method")) }},
	{ID: "N024", Methods: []string{
		"notifications/message", "notifications/log", "logging/message", "log", "notifications/logging", "notifications/logMessage",
		"notifications/logging/message",
	}, When: rule.Notification | rule.FromClient, Message: func(c *rule.Context) { c.Report(rule.At("method")) }},
	{ID: "N025", Methods: onLog, When: rule.FromServer, Message: func(c *rule.Context) {
		if c.St.ServerCaps != nil && !c.St.DeclaredLogging {
			c.Report(rule.At("method"))
		}
	}},
	{Methods: []string{"logging/setLevel"}, When: rule.Request, After: func(c *rule.Context) { rule.Own[logRequests](c.St).level = c.St.Flows.Find(c.M.Frame.Dir, c.M.ID) }},
	{ID: "N026", Methods: onLog, When: rule.FromServer, Message: logBelowLevel},
	{Kinds: rule.Requests, When: rule.Stateless, After: watchLogRequests},
	{ID: "N027", Methods: onLog, When: rule.FromServer, Message: unrequestedLog},
	{ID: "N028", Methods: onLog, Message: func(c *rule.Context) {
		if kind := rule.SecretIn(c.M.Members.Data); kind != "" && c.M.Sender() == rule.Server {
			c.Report(rule.At("params", "data"), "kind", kind)
		}
	}},
}

// logLevels returns the levels, the least severe first.
var logLevels = sync.OnceValue(revision.Levels)

// rank is the index of a raw level, -1 for an unknown one.
func rank(level []byte) int {
	if len(level) < 2 || level[0] != '"' {
		return -1
	}
	for i, l := range logLevels() {
		if string(level[1:len(level)-1]) == l {
			return i
		}
	}
	if slices.Contains(level, '\\') {
		text, _ := jsonrpc.Unquote(level)
		return slices.Index(logLevels(), text)
	}
	return -1
}

// otherLevelNames are levels of other loggers.
var otherLevelNames = map[string]string{
	"warn": "warning", "err": "error", "fatal": "critical", "crit": "critical", "panic": "emergency", "emerg": "emergency",
	"trace": "debug", "verbose": "debug", "information": "info", "informational": "info", "severe": "error",
}

func reportLevel(c *rule.Context, level []byte, at rule.Place) {
	text, ok := jsonrpc.Unquote(level)
	if !ok {
		text = string(level)
	}
	small := strings.ToLower(text)
	meant := otherLevelNames[small]
	if slices.Contains(logLevels(), small) {
		meant = small
	}
	suggestion := ""
	if meant != "" {
		suggestion = fmt.Sprintf(" You probably mean %q.", meant)
	}
	c.Report(at, "got", rule.Escaped(text), "suggestion", suggestion)
}

// logRequests are the requests of the client about log messages.
type logRequests struct {
	level    *flow.Flow   // the newest logging/setLevel
	requests []*flow.Flow // those that run and want logs (2026-07-28)
}

// logBelowLevel does not report while logging/setLevel is pending: the server may
// not have received it.
func logBelowLevel(c *rule.Context) {
	if c.St.LogLevel == "" {
		return
	}
	want, got := slices.Index(logLevels(), c.St.LogLevel), rank(c.M.Members.Level)
	if got < 0 || got >= want {
		return
	}
	if r := rule.Own[logRequests](c.St).level; r == nil || r.HasResponse() {
		c.Report(rule.At("params", "level"), "want", logLevels()[want], "got", logLevels()[got])
	}
}

func watchLogRequests(c *rule.Context) {
	if !rule.Has(c.M.Meta, revision.MetaLogLevel) {
		return
	}
	all := rule.Own[logRequests](c.St)
	all.requests = slices.DeleteFunc(all.requests, func(r *flow.Flow) bool { return !rule.IsPending(r) || r.IsReleased() })
	if r := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID); r != nil {
		all.requests = append(all.requests, r)
	}
}

// unrequestedLog checks the pending requests on the stream of the message; over
// stdio all of them.
func unrequestedLog(c *rule.Context) {
	got := rank(c.M.Members.Level)
	if !rule.Has(c.M.Meta, revision.MetaSubscriptionID) {
		for _, r := range rule.Own[logRequests](c.St).requests {
			if r.HasResponse() || c.M.Frame.Exchange != r.Exchange {
				continue
			}
			if wanted := rank(jsonrpc.Get(r.Params, "_meta", revision.MetaLogLevel)); got < 0 || got >= wanted {
				return
			}
		}
	}
	c.Report(rule.Whole)
}
