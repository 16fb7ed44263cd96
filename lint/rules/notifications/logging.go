package notifications

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/record/flow"
)

var onLog = []string{"notifications/message"}

// logRules check log messages.
var logRules = []lint.Rule{
	{ID: "N020"},
	{ID: "N022", Methods: onLog, Message: func(c *lint.Context) {
		if level := c.M.Members.Level; level != nil && rank(level) < 0 && c.M.Sender() == lint.Server {
			reportLevel(c, level, lint.At("params", "level"))
		}
	}},
	{ID: "N022", Methods: []string{"logging/setLevel"}, Message: func(c *lint.Context) {
		level := c.M.Get(c.M.Params, "level")
		if c.M.IsRequest() && rank(level) < 0 {
			reportLevel(c, level, lint.At("params", "level"))
		}
	}},
	{ID: "N022", Kinds: lint.Requests, When: lint.Stateless, Message: func(c *lint.Context) {
		if level := jsonrpc.Get(c.M.Meta, revision.MetaLogLevel); level != nil && rank(level) < 0 {
			reportLevel(c, level, lint.At("params", "_meta", revision.MetaLogLevel))
		}
	}},
	{ID: "N023", Methods: []string{"logging/message"}, When: lint.Notification | lint.FromServer, Message: func(c *lint.Context) { c.Report(lint.At("method")) }},
	{ID: "N024", Methods: []string{
		"notifications/message", "notifications/log", "logging/message", "log", "notifications/logging", "notifications/logMessage",
		"notifications/logging/message",
	}, When: lint.Notification | lint.FromClient, Message: func(c *lint.Context) { c.Report(lint.At("method")) }},
	{ID: "N025", Methods: onLog, When: lint.FromServer, Message: func(c *lint.Context) {
		if c.St.ServerCaps != nil && !c.St.DeclaredLogging {
			c.Report(lint.At("method"))
		}
	}},
	{Methods: []string{"logging/setLevel"}, When: lint.Request, After: func(c *lint.Context) { lint.Own[logRequests](c.St).level = c.St.Flows.Find(c.M.Frame.Dir, c.M.ID) }},
	{ID: "N026", Methods: onLog, When: lint.FromServer, Message: logBelowLevel},
	{Kinds: lint.Requests, When: lint.Stateless, After: watchLogRequests},
	{ID: "N027", Methods: onLog, When: lint.FromServer, Message: unrequestedLog},
	{ID: "N028", Methods: onLog, Message: func(c *lint.Context) {
		if kind := lint.SecretIn(c.M.Members.Data); kind != "" && c.M.Sender() == lint.Server {
			c.Report(lint.At("params", "data"), "kind", kind)
		}
	}},
}

// logLevels returns the levels, the least severe first.
var logLevels = sync.OnceValue(revision.Levels)

// rank returns the index of a raw level, or -1 if it is unknown.
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

// otherLevelNames maps level names of other loggers to level names of MCP.
var otherLevelNames = map[string]string{
	"warn": "warning", "err": "error", "fatal": "critical", "crit": "critical", "panic": "emergency", "emerg": "emergency",
	"trace": "debug", "verbose": "debug", "information": "info", "informational": "info", "severe": "error",
}

func reportLevel(c *lint.Context, level []byte, at lint.Place) {
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
	c.Report(at, "got", lint.Escaped(text), "suggestion", suggestion)
}

// logRequests holds the client's requests about log messages.
type logRequests struct {
	level    *flow.Flow   // newest logging/setLevel
	requests []*flow.Flow // running requests that request logs (2026-07-28)
}

// logBelowLevel does not report while logging/setLevel is pending: the server may
// not have received it.
func logBelowLevel(c *lint.Context) {
	if c.St.LogLevel == "" {
		return
	}
	want, got := slices.Index(logLevels(), c.St.LogLevel), rank(c.M.Members.Level)
	if got < 0 || got >= want {
		return
	}
	if r := lint.Own[logRequests](c.St).level; r == nil || r.HasResponse() {
		c.Report(lint.At("params", "level"), "want", logLevels()[want], "got", logLevels()[got])
	}
}

func watchLogRequests(c *lint.Context) {
	if !lint.Has(c.M.Meta, revision.MetaLogLevel) {
		return
	}
	all := lint.Own[logRequests](c.St)
	all.requests = slices.DeleteFunc(all.requests, func(r *flow.Flow) bool { return !lint.IsPending(r) || r.IsReleased() })
	if r := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID); r != nil {
		all.requests = append(all.requests, r)
	}
}

// unrequestedLog checks the pending requests on the stream of the message; over
// stdio all of them.
func unrequestedLog(c *lint.Context) {
	got := rank(c.M.Members.Level)
	if !lint.Has(c.M.Meta, revision.MetaSubscriptionID) {
		for _, r := range lint.Own[logRequests](c.St).requests {
			if r.HasResponse() || c.M.Frame.Exchange != r.Exchange {
				continue
			}
			if wanted := rank(jsonrpc.Get(r.Params, "_meta", revision.MetaLogLevel)); got < 0 || got >= wanted {
				return
			}
		}
	}
	c.Report(lint.Whole)
}
