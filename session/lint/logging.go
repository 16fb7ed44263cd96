package lint

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

var onLog = []string{"notifications/message"}

// logRules judge logging.
var logRules = []rule{
	{id: "N020", methods: onLog, message: func(c *Context) {
		l := &c.M.members
		if k := Kind(c.M.Params); c.M.Sender() != Server || k != "" && k != "object" {
			return
		}
		if l.level == nil {
			c.Report(At("params", "level"), "field", "level")
		}
		if l.data == nil {
			at := At("params", "data")
			if has(c.M.Params, "message") {
				at = At("params", "message")
			}
			c.Report(at, "field", "data")
		}
	}},
	{id: "N022", methods: onLog, message: func(c *Context) {
		if level := c.M.members.level; level != nil && rank(level) < 0 && c.M.Sender() == Server {
			c.noLevel(level, At("params", "level"))
		}
	}},
	{id: "N022", methods: []string{"logging/setLevel"}, message: func(c *Context) {
		level := Member(c.M.Params, "level")
		if c.M.IsRequest() && rank(level) < 0 {
			c.noLevel(level, At("params", "level"))
		}
	}},
	{id: "N022", kinds: requests, message: func(c *Context) {
		if !c.M.Modern() {
			return
		}
		if level := Member(c.M.Meta, revision.MetaLogLevel); level != nil && rank(level) < 0 {
			c.noLevel(level, At("params", "_meta", revision.MetaLogLevel))
		}
	}},
	{id: "N023", methods: []string{"logging/message"}, message: func(c *Context) {
		if c.M.IsNotification() && c.M.Sender() == Server {
			c.Report(At("method"))
		}
	}},
	{id: "N024", methods: []string{
		"notifications/message", "notifications/log", "logging/message", "log", "notifications/logging", "notifications/logMessage",
		"notifications/logging/message",
	}, message: func(c *Context) {
		if c.M.IsNotification() && c.M.Sender() == Client {
			c.Report(At("method"))
		}
	}},
	{id: "N025", methods: onLog, message: func(c *Context) {
		if c.M.Sender() == Server && c.St.ServerCaps != nil && !c.St.Logs {
			c.Report(At("method"))
		}
	}},
	{methods: []string{"logging/setLevel"}, after: func(c *Context) {
		if c.M.IsRequest() {
			Own[invitations](c.St).level = c.St.Request(c.M.Frame.Dir, c.M.ID)
		}
	}},
	{id: "N026", methods: onLog, message: logBelowLevel},
	{kinds: requests, after: watchInvitations},
	{id: "N027", methods: onLog, message: uninvitedLog},
	{id: "N028", methods: onLog, message: func(c *Context) {
		if kind := secretIn(c.M.members.data); kind != "" && c.M.Sender() == Server {
			c.Report(At("params", "data"), "kind", kind)
		}
	}},
}

// logLevels are those that there are, least severe first.
var logLevels = revision.Levels()

// rank is the place of a raw level among all, -1 of what is none.
func rank(level []byte) int {
	if len(level) < 2 || level[0] != '"' {
		return -1
	}
	for i, l := range logLevels {
		if string(level[1:len(level)-1]) == l {
			return i
		}
	}
	if slices.Contains(level, '\\') {
		text, _ := jsonrpc.Unquote(level)
		return slices.Index(logLevels, text)
	}
	return -1
}

// slips are levels of other loggers.
var slips = map[string]string{
	"warn": "warning", "err": "error", "fatal": "critical", "crit": "critical", "panic": "emergency", "emerg": "emergency",
	"trace": "debug", "verbose": "debug", "information": "info", "informational": "info", "severe": "error",
}

func (c *Context) noLevel(level []byte, at Place) {
	text, ok := jsonrpc.Unquote(level)
	if !ok {
		text = string(level)
	}
	small := strings.ToLower(text)
	meant := slips[small]
	if slices.Contains(logLevels, small) {
		meant = small
	}
	suggestion := ""
	if meant != "" {
		suggestion = fmt.Sprintf(" You probably mean %q.", meant)
	}
	c.Report(at, "got", escaped(text), "suggestion", suggestion)
}

// invitations are what the client has said about logs.
type invitations struct {
	level    *Request   // the newest logging/setLevel
	requests []*Request // those that run and want logs (2026-07-28)
}

// logBelowLevel is silent while a new level is under way: nobody can tell on
// which side of it the server stands.
func logBelowLevel(c *Context) {
	if c.St.LogLevel == "" || c.M.Sender() != Server {
		return
	}
	want, got := slices.Index(logLevels, c.St.LogLevel), rank(c.M.members.level)
	if got < 0 || got >= want {
		return
	}
	if r := Own[invitations](c.St).level; r == nil || r.Answered {
		c.Report(At("params", "level"), "want", logLevels[want], "got", logLevels[got])
	}
}

func watchInvitations(c *Context) {
	if !c.M.Modern() || !has(c.M.Meta, revision.MetaLogLevel) {
		return
	}
	all := Own[invitations](c.St)
	all.requests = slices.DeleteFunc(all.requests, func(r *Request) bool { return !r.Waits() || r.isReleased() })
	if r := c.St.Request(c.M.Frame.Dir, c.M.ID); r != nil {
		all.requests = append(all.requests, r)
	}
}

// uninvitedLog looks at the requests of the stream that carried the message, or
// at all where they share one.
func uninvitedLog(c *Context) {
	if c.M.Frame.Dir != transport.In {
		return
	}
	got := rank(c.M.members.level)
	if !has(c.M.Meta, revision.MetaSubscriptionID) {
		for _, r := range Own[invitations](c.St).requests {
			if r.Answered || c.M.Frame.Exchange != r.Exchange {
				continue
			}
			if wanted := rank(Member(r.Params, "_meta", revision.MetaLogLevel)); got < 0 || got >= wanted {
				return
			}
		}
	}
	c.Report(Whole)
}
