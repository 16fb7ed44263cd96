package recordings

import (
	"errors"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	r := &Recording{Path: "/r/a" + Suffix, Size: 214_000, Live: true, Summary: &Summary{
		Server: "Tracker 0.9.3", Tool: "mcptea 1.0 call reindex", Started: now.Add(-26 * time.Hour), Ended: now.Add(-25 * time.Hour), FindingErrors: 1,
		Requests: []Request{{Method: "tools/call", Name: "search_issues"}},
	}}
	for words, want := range map[string]bool{
		"": true, "tracker": true, "tracker -live": false, "-": true, "search_issues": true, "yesterday": true, "unreadable": false,
		"server:tracker": true, "server:other": false, "source:call": true, "-source:call": false,
		"since:2d": true, "since:24h": false, "since:<24h": true, "took:>30m": true, "took>30m": true, "took>1h": false, "took:>1h": false, "took:1h": true,
		"size:>10k": true, "size:<10k": false, "findings:>0": true, "findings:>1": false, "findings:0": true, "findings": true, "since:x": false,
	} {
		if got := Match(words, now)(r, "yesterday 12:00"); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
	if broken := (&Recording{Path: "/r/b" + Suffix, Err: errors.New("no")}); !Match("unreadable -live", now)(broken) {
		t.Error("a file that cannot be read does not pass")
	}
}

func TestRecording_Source(t *testing.T) {
	for tool, want := range map[string]string{"mcptea 1.0": "inspector", "mcptea 1.0 check": "check", "other 2": "other 2", "": "inspector"} {
		if got := (&Recording{Summary: &Summary{Tool: tool}}).Source(); got != want {
			t.Errorf("%q: %q", tool, got)
		}
	}
	if got := (&Recording{Tap: &Tap{Name: "cursor/tracker"}}).Source(); got != "tap cursor/tracker" {
		t.Error(got)
	}
}
