package client

import (
	"fmt"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Freshness is for how long a result holds, and for whom, as the server says
// (2026-07-28, server / utilities / caching). Nothing here is served from a
// cache: it is told to people.
type Freshness struct {
	Explicit bool          // the result says something
	TTL      time.Duration // 0 means that it is stale at once
	Scope    string        // "public", "private", or whatever the server says
}

// FreshnessOf reads it from a result.
func FreshnessOf(result []byte) Freshness {
	ttl, hasTTL := jsonrpc.Member(result, "ttlMs")
	_, hasScope := jsonrpc.Member(result, "cacheScope")
	f := Freshness{Explicit: hasTTL || hasScope, Scope: text(result, "cacheScope")}
	if ms, err := strconv.ParseFloat(string(ttl), 64); err == nil && ms > 0 {
		f.TTL = time.Duration(min(ms, float64(noLimit/time.Millisecond))) * time.Millisecond
	}
	return f
}

// intersect is what holds for both of two parts.
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

// String says it in a few words; empty when nothing was said.
func (f Freshness) String() string {
	switch {
	case !f.Explicit:
		return ""
	case f.TTL <= 0:
		return "stale at once"
	case f.Scope == "":
		return "holds " + transport.Took(f.TTL)
	}
	return fmt.Sprintf("holds %s, %s", transport.Took(f.TTL), f.Scope)
}
