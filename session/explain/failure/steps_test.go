package failure

import (
	"testing"
	"time"

	"mcptea/client"
)

// What a client stopped waiting for is not done.
func TestSteps_NoResponse(t *testing.T) {
	f := Facts{Steps: []client.Step{
		{Name: "response", State: client.StepDone, Absent: true, Took: 5 * time.Second, Detail: "server/discover got no response within 5 s; falling back to initialize"},
		{Name: "response", State: client.StepDone, Took: time.Second, Detail: "server 1.0"},
	}}
	for i, want := range []string{"response no result after 5 s", "response done after 1 s"} {
		if got := f.steps()[i].Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
