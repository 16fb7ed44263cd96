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

// All forms of ISO 8601 with date, time and time zone are right.
func TestInvalidTime_FormsOfISO(t *testing.T) {
	for text, isInvalid := range map[string]bool{
		"2026-11-28T05:00:01Z": false, "2026-11-28T05:00:01.123456+01:00": false, "20261128T050001Z": false, "2026-11-28T05:00:01+01": false,
		"2026-11-28T05:00Z": false, "2026-11-28T05:00:01+0100": false, "2026-W48-6T05:00:01Z": false, "2026-332T05:00:01Z": false,
		"2026-06-30T23:59:60Z": false, "2026-11-28T24:00:00Z": false, "2026-11-28T05:00:01,5Z": false,
		"2026-11-28T05:00:01": true, "2026-11-28": true, "yesterday": true, "1764306001": true, "2026-13-01T00:00:00Z": true, "": true,
		"2026-11-28T05:61:01Z": true, "Sat, 28 Nov 2026 05:00:01 GMT": true,
	} {
		if _, got := occurrence.InvalidTime([]byte(`{"timestamp":"` + text + `"}`)); got != isInvalid {
			t.Errorf("%q: invalid is %v, want %v", text, got, isInvalid)
		}
	}
}
