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
		if scope := rule.Member(c.M.Result, "cacheScope"); scope != nil && string(scope) != `"public"` && string(scope) != `"private"` {
			c.Report(rule.At("result", "cacheScope"), "field", "cacheScope", "got", rule.ShownValue(scope))
		}
	}},
	{ID: "X042", Methods: clientRequests, Message: cacheableInput},
	{ID: "X043", Select: cacheable, When: rule.Matched, Message: scopeOfPages},
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

// pageScopes are the scopes of lists that go on, by method and cursor.
type pageScopes map[string]string

// maxPages is how many cursors are remembered.
const maxPages = 1000

func scopeOfPages(c *rule.Context) {
	if !isCacheable(c) {
		return
	}
	known := rule.Own[pageScopes](c.St)
	scope := rule.Text(c.M.Result, "cacheScope")
	if scope != "public" && scope != "private" {
		return
	}
	first := scope
	if cursor := rule.Member(c.M.Request.Params, "cursor"); rule.Kind(cursor) == "string" {
		want, ok := (*known)[c.M.Method+" "+string(cursor)]
		switch {
		case !ok:
			return // the first page is unknown
		case want != scope:
			c.Report(rule.At("result", "cacheScope"), "got", scope, "want", want)
		}
		first = want
	}
	if next := rule.Member(c.M.Result, "nextCursor"); rule.Kind(next) == "string" && len(next) <= rule.MaxKeptBytes {
		rule.Keep(known, maxPages, c.M.Method+" "+string(next), first)
	}
}
