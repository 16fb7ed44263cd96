package probes_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/check/report"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint/rules/invariants"
)

// eventsOf returns what a check of the demo server over stdio has done about events.
func eventsOf(t *testing.T, change func(cfg *probe.Config)) (e *report.Events) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		connect := sessiontest.Dial(sessiontest.Demo(demo.Options{Pace: time.Millisecond}))
		cfg := probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20260728}, Seed: 1, MaxTime: time.Hour, Only: []string{"events", "P-150"},
			Dial: func(_ client.Target, tap client.Tap, c client.Config) *client.Client { return connect(tap, c) },
		}
		if change != nil {
			change(&cfg)
		}
		summary, err := probes.Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		e = report.EventsOf(summary)
	})
	return e
}

// A report says which rules about several messages had nothing to judge, and what they need.
func TestEvents_NotAsked(t *testing.T) {
	asked := func(e *report.Events, name string) bool {
		for _, a := range e.NotAsked {
			if a.Invariant == name {
				return false
			}
		}
		return true
	}
	plain := eventsOf(t, nil)
	for name, want := range map[string]bool{"poll-without-end": true, "event-types": true, "acknowledged": true, "event-id": false, "poll-position": false, "lease": false} {
		if asked(plain, name) != want {
			t.Errorf("without triggers %s: asked %v", name, !want)
		}
	}
	if text := plain.String(); !strings.Contains(text, "rules about several messages were not asked: they need ") || !strings.Contains(text, "an event on a stream") || strings.Contains(text, "they need a poll,") {
		t.Error(text)
	}
	caused := eventsOf(t, withEventTriggers)
	for name, want := range map[string]bool{"event-id": true, "poll-position": true, "stream-position": true, "poll-age": true, "challenge": false} {
		if asked(caused, name) != want {
			t.Errorf("with triggers %s: asked %v", name, !want)
		}
	}
}

func withEventTriggers(cfg *probe.Config) {
	cfg.Events, cfg.Triggers = true, []probe.Trigger{{Tool: "emit-event", Arguments: `{"name":"order.placed"}`}}
}

func TestInvariants_NameWhatTheyNeed(t *testing.T) {
	for _, r := range invariants.Requirements() {
		if r.Needs == "" {
			t.Errorf("%s does not say what must be asked", r.Name)
		}
	}
}
