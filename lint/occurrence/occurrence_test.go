package occurrence_test

import (
	"testing"

	"mcptea/lint/occurrence"
)

// Each mistake in an event has the rule that lint reports in a frame; of a delivery, mistakes of the form have one rule.
func TestFaults_RuleOfEachMistake(t *testing.T) {
	const right = `{"eventId":"a","name":"n","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":null}`
	for event, rules := range map[string][2]string{
		right: {"", ""},
		`{"eventId":"","name":"n","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":null}`:  {occurrence.ID, occurrence.ID},
		`{"eventId":"a","name":"n","timestamp":"yesterday","data":{},"cursor":null}`:            {occurrence.Timestamp, occurrence.Timestamp},
		`{"eventId":"a","name":"x","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":null}`: {occurrence.Name, occurrence.Name},
		`{"eventId":7,"name":"n","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":null}`:   {"D001", occurrence.Delivery},
	} {
		for i, rule := range rules {
			faults, _ := occurrence.Faults([]byte(event), occurrence.Subscription{Name: "n", IsHook: i == 1})
			if rule == "" && len(faults) != 0 || rule != "" && (len(faults) != 1 || faults[0].Rule != rule) {
				t.Errorf("%s: %v, want %q", event, faults, rule)
			}
		}
	}
}
