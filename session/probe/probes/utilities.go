package probes

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// levels are the log levels, the least severe first (RFC 5424).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func setLevel(r *probe.Run) {
	c := r.Fresh()
	try(r, askOn(c), named("logging/setLevel ", levels, func(level string) sample {
		return sample{method: "logging/setLevel", params: `{"level":"` + level + `"}`}
	}), verdict{isRefusal, lint.Error, "The server rejects the log level {what}: {outcome}."})
	try(r, provokeOn(c), named("logging/setLevel with ", []string{`{"level":"verbose"}`, `{"level":"INFO"}`, `{"level":""}`, `{"level":5}`, `{}`}, func(params string) sample {
		return sample{method: "logging/setLevel", params: params}
	}),
		verdict{isResult, lint.Warn, "The server accepts {case}."},
		verdict{errorBut(jsonrpc.CodeInvalidParams), lint.Info, "{case} returns error {code}; -32602 is expected."})
}

func logFilter(r *probe.Run) {
	c := r.Fresh()
	if o := r.Ask(c, "logging/setLevel emergency", c.Request("logging/setLevel", `{"level":"emergency"}`)); o.Kind != probe.Result {
		return // P-081 reports it
	}
	c.Take()
	for range 2 {
		r.Ask(c, "a list while the level is emergency", c.List())
	}
	r.Quiet()
	for _, f := range c.Take() {
		e := jsonrpc.Scan(f.Bytes)
		if !e.HasMethod(f.Bytes, "notifications/message") {
			continue
		}
		level := jsonrpc.Text(e.Params.Of(f.Bytes), "level")
		if !slices.Contains(levels, level) {
			r.With(lint.Error, []probe.Frame{f}, "A log message has the unknown level %q.", level)
		} else if level != "emergency" {
			r.With(lint.Warn, []probe.Frame{f}, "The server sends a log message of level %s after logging/setLevel emergency.", level)
		}
		return
	}
}

func pingShape(r *probe.Run) {
	try(r, ask, named("ping with the params ", []string{"", "{}", `{"_meta":{"progressToken":"p"}}`}, func(params string) sample {
		return sample{bytes: jsonrpc.AppendRequest(nil, r.Shared().ID(), "ping", []byte(params))}
	}), verdict{isRefusal, lint.Error, "The server replied to ping with {outcome}."})
}

func progressTokens(r *probe.Run) {
	if r.SkipIf(len(r.Callables()) == 0, "no callable tool") {
		return
	}
	c := r.Fresh()
	for _, s := range reporting(r) {
		for _, token := range []string{`"mcptea-é"`, `0`, `9007199254740991`, ""} {
			meta := ""
			if token != "" {
				meta = `,"_meta":{"progressToken":` + token + `}`
			}
			c.Take()
			o, ok := r.Exchange(c, s.Name+" with the progress token "+token, s.Name, c.Request("tools/call", `{"name":`+probe.JSON(s.Name)+`,"arguments":`+s.Arguments+meta+`}`))
			if !ok || o.Kind != probe.Result {
				break
			}
			r.Quiet()
			checkProgress(r, c.Take(), token)
		}
	}
}

// fewTools is how many tools are called of which none has reported progress so far.
const fewTools = 3

// reporting are the tools that have reported progress in the run; the first few if none
// has.
func reporting(r *probe.Run) []probe.Subject {
	all := r.Callables()
	known := slices.DeleteFunc(slices.Clone(all), func(s probe.Subject) bool { return !r.Progressed(s.Name) })
	if len(known) > 0 {
		return known
	}
	return all[:min(len(all), fewTools)]
}

// checkProgress looks at the notifications of one call.
func checkProgress(r *probe.Run, frames []probe.Frame, token string) {
	last := -1.0
	for _, f := range frames {
		e := jsonrpc.Scan(f.Bytes)
		if !e.HasMethod(f.Bytes, "notifications/progress") {
			continue
		}
		params := e.Params.Of(f.Bytes)
		got, _ := jsonrpc.Member(params, "progressToken")
		value, _ := jsonrpc.Member(params, "progress")
		n, isNumber := probe.Number(value)
		wanted, isText := jsonrpc.Unquote([]byte(token))
		text, gotText := jsonrpc.Unquote(got)
		switch {
		case token == "":
			r.With(lint.Error, []probe.Frame{f}, "The server reports progress for a call without a progress token.")
			return
		case string(got) != token && !(isText && gotText && text == wanted):
			r.With(lint.Error, []probe.Frame{f}, "The server reports progress with the token %s; the request has %s.", got, token)
			return
		case !isNumber:
			r.With(lint.Error, []probe.Frame{f}, "The progress %s is not a number.", value)
			return
		case n <= last:
			r.With(lint.Error, []probe.Frame{f}, "The progress goes from %g to %g; it must increase.", last, n)
			return
		}
		last = n
	}
}

func cancelRunning(r *probe.Run) {
	slow := slowTool(r, time.Second)
	if r.SkipIf(slow == nil, "no callable tool that takes 1 s") {
		return
	}
	c := r.Fresh()
	for _, id := range []jsonrpc.ID{`"c1"`, `7001`, `0`} {
		c.Take()
		call := c.RequestAs(id, "tools/call", `{"name":`+probe.JSON(slow.Name)+`,"arguments":`+slow.Arguments+`}`)
		o := r.Cancelled(c, "the cancelled call with the id "+string(id), call, 200*time.Millisecond, r.Took(slow.Name)+2*time.Second)
		switch {
		case o.Kind == probe.Result && o.Took > 500*time.Millisecond:
			r.Warn("The call of %s with the id %s is cancelled, and its result comes nevertheless.", slow.Name, id)
		case o.Kind == probe.Error:
			r.Info("The server responds to a cancelled request with error %s; no response is expected.", o.ShownCode())
		}
	}
}

func cancelStray(r *probe.Run) {
	c := r.Dirty()
	done := c.Ping()
	r.Ask(c, "ping", done)
	finished := string(jsonrpc.Scan(done).ID.Of(done))
	try(r, provoke, named("notifications/cancelled with the params ", []string{`{"requestId":"mcptea-unknown"}`, `{"requestId":` + finished + `}`, `{}`, `{"requestId":null}`}, func(params string) sample {
		return sample{bytes: jsonrpc.AppendNotification(nil, "notifications/cancelled", []byte(params))}
	}), verdict{isResponse, lint.Error, "The server responds to notifications/cancelled with {what}."})
	try(r, provoke, []sample{
		{name: "notifications/cancelled with the params ", bytes: jsonrpc.AppendNotification(nil, "notifications/cancelled", nil)},
	}, verdict{isResponse, lint.Error, "The server responds to notifications/cancelled without params."})
}
