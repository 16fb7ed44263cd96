// Package stateless checks the features of 2026-07-28: multi-round-trip requests, subscriptions, caching,
// tasks and extensions.
package stateless

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// Rules check what 2026-07-28 defines: input requests, subscriptions,
// caching, tasks, extensions.
var Rules = slices.Concat(resultRules, subscriptionRules, inputRules, cacheRules, taskRules, taskLifeRules, taskRecordRules, extensionRules)

// resultRules check resultType.
var resultRules = []lint.Rule{
	{ID: "X002", When: lint.Result | lint.Stateless, Message: func(c *lint.Context) {
		switch kind := c.M.ResultType(); kind {
		case "complete", "input_required", "task": // X050 and X061 check whether a task is allowed
		default:
			if c.M.HasResultType() && !declaresOtherExtension(c) {
				c.Report(lint.At("result", "resultType"), "got", lint.Escaped(kind))
			}
		}
	}},
}

// isForeignDiscoverResult reports a result of server/discover from a server of
// the handshake era, which L022 reports.
func isForeignDiscoverResult(m *lint.Message) bool {
	return m.Method == "server/discover" && jsonrpc.TypeOf(m.Get(m.Result, "supportedVersions")) != "array"
}

// declaresOtherExtension reports whether the request declares an unknown extension, which may define members
// that look wrong.
func declaresOtherExtension(c *lint.Context) bool {
	if c.M.Request == nil {
		return true
	}
	for id := range jsonrpc.Members(lint.Capability(c.M.Request, "extensions")) {
		if string(id) != revision.TasksExtension {
			return true
		}
	}
	return false
}

// extensionRules check the declaration of extensions (2026-07-28, basic /
// versioning).
var extensionRules = []lint.Rule{
	{ID: "X061", Methods: append([]string{listen}, taskMethods...), Message: undeclaredExtension},
	{ID: "X062", Limit: lint.PerMessage(lint.SomeMembers), Methods: clientRequests, Message: func(c *lint.Context) {
		switch {
		case c.M.IsRequest() && c.M.IsStateless() && c.M.Sender() == lint.Client:
			extensionIDs(c, jsonrpc.Get(c.M.Params, "_meta", revision.MetaClientCapabilities, "extensions"),
				"params", "_meta", revision.MetaClientCapabilities, "extensions")
		case c.M.IsResult() && c.M.Method == "server/discover":
			extensionIDs(c, jsonrpc.Get(c.M.Result, "capabilities", "extensions"), "result", "capabilities", "extensions")
		}
	}},
}

// undeclaredExtension finds parts of the tasks extension that one side did not declare. X050 reports a task
// that the client did not allow.
func undeclaredExtension(c *lint.Context) {
	what := ""
	switch {
	case !c.M.IsStateless() || c.St.ServerCaps == nil:
		return
	case c.M.IsRequest() && c.M.Sender() == lint.Client:
		if what = taskFeature(c.M); what == "" {
			return
		}
		caps := jsonrpc.Get(c.M.Params, "_meta", revision.MetaClientCapabilities)
		if caps != nil && !lint.Has(jsonrpc.Get(caps, "extensions"), revision.TasksExtension) { // without _meta it is M001
			reportUndeclared(c, lint.Client, what)
			return
		}
	case isServerNotification(c) && c.M.Method == "notifications/tasks":
		what = c.M.Method
	case c.M.IsResult() && c.M.ResultType() == "task" && !strings.HasPrefix(c.M.Method, "tasks/"):
		if c.M.Request == nil || !offersTask(c.M) {
			return
		}
		what = "the result type task"
	default:
		return
	}
	if !c.St.ServerOffers("extensions", revision.TasksExtension) {
		reportUndeclared(c, lint.Server, what)
	}
}

// taskFeature returns the part of a request that belongs to the extension, or "".
func taskFeature(m *lint.Message) string {
	switch {
	case m.Method == listen && lint.Has(m.Get(m.Params, "notifications"), "taskIds"):
		return "taskIds"
	case m.Method == "tasks/get" || m.Method == "tasks/update" || m.Method == "tasks/cancel":
		return m.Method
	}
	return ""
}

// reportUndeclared reports the side that uses the extension; the message names
// the side that does not declare it.
func reportUndeclared(c *lint.Context, undeclared lint.Side, what string) {
	c.Report(lint.Whole, "method", what, "extension", revision.TasksExtension, "side", "the "+undeclared.String())
}

func extensionIDs(c *lint.Context, extensions []byte, at ...any) {
	for key, value := range jsonrpc.Members(extensions) {
		if lint.ExtensionIDFault(string(key)) == "" && jsonrpc.TypeOf(value) == "object" {
			continue
		}
		c.Report(lint.At(append(at, string(key))...), "key", lint.Escaped(key))
	}
}

var cacheRules = []lint.Rule{
	{ID: "X041"},
	{ID: "X042", Methods: clientRequests, Message: cacheableInput},
	{ID: "X043", Select: revision.Method.IsCacheable, When: lint.Matched, Message: func(c *lint.Context) {
		got, want := c.M.Text(c.M.Result, "cacheScope"), c.Pages().Scope(c.M)
		if isCacheable(c) && isScope(got) && isScope(want) && got != want {
			c.Report(lint.At("result", "cacheScope"), "got", got, "want", want)
		}
	}},
	{ID: "X045", Select: revision.Method.IsCacheable, When: lint.Result | lint.Matched | lint.FromServer, After: func(c *lint.Context) {
		if list := c.St.Lists[c.M.Method]; list != nil && list.Complete && list.ChangedFresh > 0 && isCacheable(c) {
			c.Report(lint.At("result"), "ttl", strconv.FormatInt(list.ChangedFresh.Milliseconds(), 10))
		}
	}},
	{ID: "X044", Methods: []string{"resources/read"}, When: lint.Matched, Message: func(c *lint.Context) {
		if !isCacheable(c) || c.M.Text(c.M.Result, "cacheScope") != "public" {
			return
		}
		if x := c.St.Exchanges[c.M.Request.Exchange]; x != nil && x.RequestHeader.Get("Authorization") != "" {
			c.Report(lint.At("result", "cacheScope"))
		}
	}},
}

// isCacheable reports a result that must have ttlMs and cacheScope.
func isCacheable(c *lint.Context) bool {
	return c.M.IsStateless() && c.M.IsComplete() && jsonrpc.TypeOf(c.M.Result) == "object" && !isForeignDiscoverResult(c.M)
}

func isScope(text string) bool { return text == "public" || text == "private" }

// cacheableInput reports a result that depends on input and can be cached.
func cacheableInput(c *lint.Context) {
	switch {
	case asksForInput(c.M):
		for _, field := range []string{"ttlMs", "cacheScope"} {
			if c.M.Has(c.M.Result, field) {
				c.Report(lint.At("result", field))
				return
			}
		}
	case c.M.IsResult() && c.M.IsStateless() && c.M.IsComplete() && c.M.Request != nil:
		n, ok := lint.Number(c.M.Get(c.M.Result, "ttlMs"))
		if ok && n > 0 && (lint.Has(c.M.Request.Params, "inputResponses") || lint.Has(c.M.Request.Params, "requestState")) {
			c.Report(lint.At("result", "ttlMs"))
		}
	}
}
