package lint

import (
	"math"
	"slices"
	"strconv"

	"mcptea/client/revision"
)

// cacheable are the methods whose results say for how long they hold, and for
// whom (2026-07-28, server / utilities / caching).
var cacheable = cacheableMethods()

func cacheableMethods() []string {
	var names []string
	for _, m := range revision.Methods(revision.R20260728, revision.Client) {
		if slices.ContainsFunc(m.ResultMembers(revision.R20260728), func(r revision.Member) bool { return r.Name == "cacheScope" }) {
			names = append(names, m.Name)
		}
	}
	return names
}

var cacheRules = []rule{
	{id: "X040", methods: cacheable, message: func(c *Context) {
		if !c.cacheable() {
			return
		}
		if !has(c.M.Result, "ttlMs") || !has(c.M.Result, "cacheScope") {
			c.Report(At("result"))
		}
	}},
	{id: "X041", methods: cacheable, message: func(c *Context) {
		if !c.cacheable() {
			return
		}
		if ttl := Member(c.M.Result, "ttlMs"); ttl != nil && !isTTL(ttl) {
			c.Report(At("result", "ttlMs"), "field", "ttlMs", "got", shownValue(ttl))
		}
		if scope := Member(c.M.Result, "cacheScope"); scope != nil && string(scope) != `"public"` && string(scope) != `"private"` {
			c.Report(At("result", "cacheScope"), "field", "cacheScope", "got", shownValue(scope))
		}
	}},
	{id: "X042", methods: clientRequests26, message: cachedInput},
	{id: "X043", methods: cacheable, message: scopeOfPages},
	{id: "X044", methods: []string{"resources/read"}, message: func(c *Context) {
		if !c.cacheable() || c.M.Request == nil || Text(c.M.Result, "cacheScope") != "public" {
			return
		}
		if x := c.St.Exchanges[c.M.Request.Exchange]; x != nil && x.RequestHeader.Get("Authorization") != "" {
			c.Report(At("result", "cacheScope"))
		}
	}},
}

// cacheable reports a result that has to have the fields.
func (c *Context) cacheable() bool {
	return c.M.Modern() && c.M.Complete() && Kind(c.M.Result) == "object" && !unlikeDiscovery(c.M)
}

// isTTL reports a whole number of milliseconds, however it is written.
func isTTL(value []byte) bool {
	if Kind(value) != "number" {
		return false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return err == nil && n >= 0 && n == math.Trunc(n)
}

// cachedInput is an answer that depends on input, or asks for it, and may be
// kept all the same.
func cachedInput(c *Context) {
	switch {
	case c.M.asksForInput():
		for _, field := range []string{"ttlMs", "cacheScope"} {
			if has(c.M.Result, field) {
				c.Report(At("result", field))
				return
			}
		}
	case c.M.IsResult() && c.M.Modern() && c.M.Complete() && c.M.Request != nil:
		ttl := Member(c.M.Result, "ttlMs")
		if n, err := strconv.ParseFloat(string(ttl), 64); err != nil || n <= 0 {
			return
		}
		if has(c.M.Request.Params, "inputResponses") || has(c.M.Request.Params, "requestState") {
			c.Report(At("result", "ttlMs"))
		}
	}
}

// pageScopes are the scopes of lists that go on, by method and cursor.
type pageScopes map[string]string

// maxPages is how many cursors are remembered.
const maxPages = 1000

func scopeOfPages(c *Context) {
	if !c.cacheable() || c.M.Request == nil {
		return
	}
	known := Own[pageScopes](c.St)
	if *known == nil || len(*known) > maxPages {
		*known = pageScopes{}
	}
	scope := Text(c.M.Result, "cacheScope")
	if scope != "public" && scope != "private" {
		return
	}
	first := scope
	if cursor := Member(c.M.Request.Params, "cursor"); Kind(cursor) == "string" {
		want, ok := (*known)[c.M.Method+" "+string(cursor)]
		switch {
		case !ok:
			return // how that list began, nobody has seen
		case want != scope:
			c.Report(At("result", "cacheScope"), "got", scope, "want", want)
		}
		first = want
	}
	if next := Member(c.M.Result, "nextCursor"); Kind(next) == "string" && len(next) <= maxKept {
		(*known)[c.M.Method+" "+string(next)] = first
	}
}
