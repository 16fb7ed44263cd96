package stateless

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// extensionRules check the declaration of extensions (2026-07-28, basic /
// versioning).
var extensionRules = []rule.Rule{
	{ID: "X061", Methods: append([]string{listen}, taskMethods...), Message: undeclaredExtension},
	{ID: "X062", Limit: rule.PerMessage(rule.SomeMembers), Methods: clientRequests, Message: func(c *rule.Context) {
		switch {
		case c.M.IsRequest() && c.M.IsStateless() && c.M.Sender() == rule.Client:
			extensionIDs(c, rule.Member(c.M.Params, "_meta", revision.MetaClientCapabilities, "extensions"),
				"params", "_meta", revision.MetaClientCapabilities, "extensions")
		case c.M.IsResult() && c.M.Method == "server/discover":
			extensionIDs(c, rule.Member(c.M.Result, "capabilities", "extensions"), "result", "capabilities", "extensions")
		}
	}},
}

// undeclaredExtension finds parts of the tasks extension that one side did not
// declare. A task without an offer of the client is X050.
func undeclaredExtension(c *rule.Context) {
	what := ""
	switch {
	case !c.M.IsStateless() || c.St.ServerCaps == nil:
		return
	case c.M.IsRequest() && c.M.Sender() == rule.Client:
		if what = taskFeature(c.M); what == "" {
			return
		}
		caps := rule.Member(c.M.Params, "_meta", revision.MetaClientCapabilities)
		if caps != nil && !rule.Has(rule.Member(caps, "extensions"), revision.TasksExtension) { // without _meta it is M001
			reportUndeclared(c, rule.Client, what)
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
		reportUndeclared(c, rule.Server, what)
	}
}

// taskFeature is the part of a request that belongs to the extension; empty for
// none.
func taskFeature(m *rule.Message) string {
	switch {
	case m.Method == listen && rule.Has(rule.Member(m.Params, "notifications"), "taskIds"):
		return "taskIds"
	case m.Method == "tasks/get" || m.Method == "tasks/update" || m.Method == "tasks/cancel":
		return m.Method
	}
	return ""
}

// reportUndeclared reports the side that uses the extension; the message names
// the side that does not declare it.
func reportUndeclared(c *rule.Context, undeclared rule.Side, what string) {
	c.Report(rule.Whole, "method", what, "extension", revision.TasksExtension, "side", "the "+undeclared.String())
}

func extensionIDs(c *rule.Context, extensions []byte, at ...any) {
	for key, value := range jsonrpc.Members(extensions) {
		if isExtensionID(string(key)) && rule.Kind(value) == "object" {
			continue
		}
		c.Report(rule.At(append(at, string(key))...), "key", rule.Escaped(key))
	}
}

// isExtensionID reports a valid key of _meta with a prefix.
func isExtensionID(id string) bool {
	prefix, _, ok := strings.Cut(id, "/")
	return ok && prefix != "" && rule.MetaKeyFault(id) == ""
}
