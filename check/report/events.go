package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/lint/rules/invariants"
)

// Events summarizes the actions of a check on the events of a server.
type Events struct {
	Types     int        `json:"types"`               // event types that the server lists
	Tried     []string   `json:"tried,omitempty"`     // "polls", "streams", "subscriptions" or "deliveries" that were judged
	NotJudged []string   `json:"notJudged,omitempty"` // aspects that could not be judged
	NotTried  []string   `json:"notTried,omitempty"`  // aspects that were not tried, but could be
	NotAsked  []NotAsked `json:"notAsked,omitempty"`  // rules about several messages that had nothing to judge

	withFlag, withTrigger []string // aspects of NotTried that a flag enables
}

// NotAsked is a rule about several messages that had nothing to judge.
type NotAsked struct {
	Invariant string `json:"invariant"` // name of the values that the rule compares
	Rule      string `json:"rule"`      // id of the rule
	Needs     string `json:"needs"`     // requests without which the rule has nothing to judge
}

// aspects maps slugs of probes to the aspects of events that they try.
var aspects = []struct{ slug, what string }{
	{"event-poll", "polls"}, {"event-stream", "streams"}, {"event-subscribe", "subscriptions"}, {"event-delivery", "deliveries"},
}

// EventsOf summarizes the results of a check about events, or returns nil if no server declares any.
func EventsOf(s *probe.Summary) *Events {
	for _, server := range s.Servers {
		if !server.Offers(client.Events) {
			continue
		}
		e := &Events{Types: len(server.Items(client.Events))}
		for _, a := range aspects {
			for i := range s.Reports {
				if r := &s.Reports[i]; r.Entry.Slug == a.slug && r.Revision == string(server.Revision) {
					e.add(a.what, r)
				}
			}
		}
		for _, r := range invariants.Requirements() {
			if !s.Asked[r.Name] && len(e.Tried) > 0 {
				e.NotAsked = append(e.NotAsked, NotAsked{r.Name, r.Rule, r.Needs})
			}
		}
		return e
	}
	return nil
}

func (e *Events) add(what string, r *probe.Report) {
	switch {
	case r.Verdict == probe.Failure:
		e.NotJudged = append(e.NotJudged, what)
	case r.Verdict != probe.Skipped:
		e.Tried = append(e.Tried, what)
	case r.Skip == probe.NeedsTrigger, r.Reason == probe.NotEvents && what == "deliveries":
		e.NotTried, e.withTrigger = append(e.NotTried, what), append(e.withTrigger, what)
	case r.Reason == probe.NotEvents:
		e.NotTried, e.withFlag = append(e.NotTried, what), append(e.withFlag, what)
	case r.Reason == probe.NotSelected, r.Reason == probe.NotPassive:
		e.NotTried = append(e.NotTried, what)
	}
}

// String returns the summary as a line of a report.
func (e *Events) String() string {
	parts := []string{"events: " + phrase.Count(e.Types, "event type")}
	add := func(list []string, format string) {
		if len(list) > 0 {
			parts = append(parts, fmt.Sprintf(format, strings.Join(list, ", ")))
		}
	}
	add(e.Tried, "%s tried")
	add(e.NotJudged, "%s not judged")
	add(e.withFlag, "%s are tried with --events")
	add(e.withTrigger, "%s with --events --events-trigger TOOL")
	if len(e.withFlag)+len(e.withTrigger) == 0 {
		add(e.NotTried, "%s not tried")
	}
	if n := len(e.NotAsked); n > 0 {
		var needs []string
		for _, a := range e.NotAsked {
			if !slices.Contains(needs, a.Needs) {
				needs = append(needs, a.Needs)
			}
		}
		parts = append(parts, fmt.Sprintf("%d of %d rules about several messages were not asked: they need %s", n, len(invariants.Requirements()), strings.Join(needs, ", ")))
	}
	return strings.Join(parts, "; ")
}
