// Package stateless checks what 2026-07-28 defines: multi-round-trip requests, subscriptions,
// caching, tasks and extensions.
package stateless

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// Rules check what 2026-07-28 defines: input requests, subscriptions,
// caching, tasks, extensions.
var Rules = slices.Concat(resultRules, subscriptionRules, inputRules, cacheRules, taskRules, taskLifeRules, extensionRules)

// resultRules check resultType.
var resultRules = []rule.Rule{
	{ID: "X001", When: rule.Result | rule.Stateless, Message: func(c *rule.Context) {
		if c.M.ResultType() == "" && rule.Kind(c.M.Result) == "object" && !isForeignDiscoverResult(c.M) {
			c.Report(rule.At("result"))
		}
	}},
	{ID: "X002", When: rule.Result | rule.Stateless, Message: func(c *rule.Context) {
		switch kind := c.M.ResultType(); kind {
		case "", "complete", "input_required", "task": // X050 and X061 check whether a task is allowed
		default:
			if !declaresOtherExtension(c) {
				c.Report(rule.At("result", "resultType"), "got", rule.Escaped(kind))
			}
		}
	}},
}

// isForeignDiscoverResult reports a result of server/discover from a server of
// the handshake era, which L022 reports.
func isForeignDiscoverResult(m *rule.Message) bool {
	return m.Method == "server/discover" && rule.Kind(rule.Member(m.Result, "supportedVersions")) != "array"
}

// declaresOtherExtension reports whether the request declares an unknown
// extension, which may define what looks wrong.
func declaresOtherExtension(c *rule.Context) bool {
	if c.M.Request == nil {
		return true
	}
	for id := range jsonrpc.Members(rule.Capability(c.M.Request, "extensions")) {
		if string(id) != revision.TasksExtension {
			return true
		}
	}
	return false
}
