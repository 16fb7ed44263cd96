package use

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/internal/schema/check"
	"mcptea/lint/occurrence"
	"mcptea/session/events"
)

// A faulty event names the rule, the place and the reason, as text and as JSON.
func TestListen_FaultsOfAnEvent(t *testing.T) {
	raw := []byte(`{"eventId":"e1","name":"tick","timestamp":"today","data":{"n":"x"},"cursor":null}`)
	e := &events.Entry{Kind: events.Occurred, Event: events.ReadOccurrence(raw)}
	payload := check.Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`), check.Options{})
	faults, isChecked := occurrence.Faults(raw, occurrence.Subscription{Name: "tick", Payload: payload})
	if got, want := wordsOf(e, faults, isChecked), `e1  {"n":"x"}  ✗ V022 /timestamp is "today", which is not ISO 8601 (and 1 more)`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	doc, err := json.Marshal(documentOf(e, &events.State{}, faults, isChecked))
	if want := `"faults":[{"rule":"V022","place":"/timestamp","reason":"is \"today\", which is not ISO 8601"},{"rule":"V021","place":"/data/n","reason":"must be an integer, found a string"}]`; err != nil || !strings.Contains(string(doc), want) {
		t.Errorf("%s, %v", doc, err)
	}
}
