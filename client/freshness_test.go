package client

import (
	"testing"
	"time"
)

func TestFreshness(t *testing.T) {
	for result, want := range map[string]string{
		`{"tools":[]}`:                          "",
		`{"ttlMs":60000,"cacheScope":"public"}`: "fresh for 60 s, public",
		`{"ttlMs":300000}`:                      "fresh for 5 min 00 s",
		`{"ttlMs":0,"cacheScope":"private"}`:    "may change at any time (ttl 0)",
		`{"ttlMs":-5,"cacheScope":"public"}`:    "may change at any time (ttl 0)",
		`{"ttlMs":"soon","cacheScope":"x"}`:     "may change at any time (ttl 0)",
		`{"cacheScope":"public"}`:               "may change at any time (ttl 0)",
	} {
		if got := FreshnessOf([]byte(result)).String(); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
	long := FreshnessOf([]byte(`{"ttlMs":1e300,"cacheScope":"public"}`))
	if long.TTL <= 0 {
		t.Errorf("a very long time is %s", long.TTL)
	}
	// A list holds as long as its shortest page, for those for whom all pages are.
	both := long.intersect(Freshness{Explicit: true, TTL: time.Second, Scope: "private"})
	if both.TTL != time.Second || both.Scope != "private" {
		t.Errorf("%+v", both)
	}
	if half := long.intersect(Freshness{}); half.TTL != 0 {
		t.Errorf("a page that says nothing: %+v", half)
	}
}
