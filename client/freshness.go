package client

import (
	"fmt"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// Freshness is the cache information of a result: ttlMs and cacheScope
// (2026-07-28, server / utilities / caching). The client does not cache results.
type Freshness struct {
	Explicit bool          // the result has ttlMs or cacheScope
	TTL      time.Duration // 0: may change at any time
	Scope    string        // "public", "private", or the value that the server sent
}

// FreshnessOf parses ttlMs and cacheScope of a result.
func FreshnessOf(result []byte) Freshness {
	var ttl, scope []byte
	for member, value := range jsonrpc.Members(result) { // one pass, because results can be long
		switch string(member) {
		case "ttlMs":
			ttl = value
		case "cacheScope":
			scope = value
		}
	}
	f := Freshness{Explicit: ttl != nil || scope != nil}
	f.Scope, _ = jsonrpc.Unquote(scope)
	if ms, err := strconv.ParseFloat(string(ttl), 64); err == nil && ms > 0 {
		f.TTL = time.Duration(min(ms, float64(noLimit/time.Millisecond))) * time.Millisecond
	}
	return f
}

// intersect returns the freshness of two parts together.
func (f Freshness) intersect(g Freshness) Freshness {
	if !f.Explicit || !g.Explicit {
		return Freshness{Explicit: f.Explicit || g.Explicit, Scope: f.Scope}
	}
	f.TTL = min(f.TTL, g.TTL)
	if g.Scope == "private" {
		f.Scope = g.Scope
	}
	return f
}

// String describes the freshness, or returns "" if there is nothing to describe.
func (f Freshness) String() string {
	switch {
	case !f.Explicit:
		return ""
	case f.TTL <= 0:
		return "may change at any time (ttl 0)"
	case f.Scope == "":
		return "fresh for " + phrase.Duration(f.TTL)
	}
	return fmt.Sprintf("fresh for %s, %s", phrase.Duration(f.TTL), f.Scope)
}
