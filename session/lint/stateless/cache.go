package stateless

import (
	"math"
	"slices"

	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// cacheable selects the methods whose results have ttlMs and cacheScope (2026-07-28,
// server / utilities / caching).
func cacheable(m revision.Method) bool {
	return slices.ContainsFunc(m.ResultMembers(revision.R20260728), func(r revision.Member) bool { return r.Name == "cacheScope" })
}

var cacheRules = []rule.Rule{
	{ID: "X040", Select: cacheable, Message: func(c *rule.Context) {
		if isCacheable(c) && (!rule.Has(c.M.Result, "ttlMs") || !rule.Has(c.M.Result, "cacheScope")) {
			c.Report(rule.At("result"))
		}
	}},
	{ID: "X041", Select: cacheable, Message: func(c *rule.Context) {
		if !isCacheable(c) {
			return
		}
		if ttl := rule.Member(c.M.Result, "ttlMs"); ttl != nil && !isTTL(ttl) {
			c.Report(rule.At("result", "ttlMs"), "field", "ttlMs", "got", rule.ShownValue(ttl))
		}
		if scope := rule.Member(c.M.Result, "cacheScope"); scope != nil && !isScope(rule.Text(c.M.Result, "cacheScope")) {
			c.Report(rule.At("result", "cacheScope"), "field", "cacheScope", "got", rule.ShownValue(scope))
		}
	}},
	{ID: "X042", Methods: clientRequests, Message: cacheableInput},
	{ID: "X043", Select: cacheable, When: rule.Matched, Message: func(c *rule.Context) {
		got, want := rule.Text(c.M.Result, "cacheScope"), c.Pages().Scope(c.M)
		if isCacheable(c) && isScope(got) && isScope(want) && got != want {
			c.Report(rule.At("result", "cacheScope"), "got", got, "want", want)
		}
	}},
	{ID: "X044", Methods: []string{"resources/read"}, When: rule.Matched, Message: func(c *rule.Context) {
		if !isCacheable(c) || rule.Text(c.M.Result, "cacheScope") != "public" {
			return
		}
		if x := c.St.Exchanges[c.M.Request.Exchange]; x != nil && x.RequestHeader.Get("Authorization") != "" {
			c.Report(rule.At("result", "cacheScope"))
		}
	}},
}

// isCacheable reports a result that must have ttlMs and cacheScope.
func isCacheable(c *rule.Context) bool {
	return c.M.IsStateless() && c.M.IsComplete() && rule.Kind(c.M.Result) == "object" && !isForeignDiscoverResult(c.M)
}

func isScope(text string) bool { return text == "public" || text == "private" }

// isTTL reports a whole number of milliseconds, however it is written.
func isTTL(value []byte) bool {
	n, ok := rule.Number(value)
	return ok && n >= 0 && n == math.Trunc(n)
}

// cacheableInput reports a result that depends on input and can be cached.
func cacheableInput(c *rule.Context) {
	switch {
	case asksForInput(c.M):
		for _, field := range []string{"ttlMs", "cacheScope"} {
			if rule.Has(c.M.Result, field) {
				c.Report(rule.At("result", field))
				return
			}
		}
	case c.M.IsResult() && c.M.IsStateless() && c.M.IsComplete() && c.M.Request != nil:
		n, ok := rule.Number(rule.Member(c.M.Result, "ttlMs"))
		if ok && n > 0 && (rule.Has(c.M.Request.Params, "inputResponses") || rule.Has(c.M.Request.Params, "requestState")) {
			c.Report(rule.At("result", "ttlMs"))
		}
	}
}
