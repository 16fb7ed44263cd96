package client

import (
	"errors"
	"testing"
)

// A request that is sent only after the next action has begun changes no step.
func TestChecklist_OnSentOfEarlierAction(t *testing.T) {
	tap := &noted{}
	l := newChecklist(tap)
	l.Plan(stepsOfProbe...)
	l.next()
	l.Begin(StepDiscover, "", 0)
	sent := l.onSent(StepDiscover, "sent", 0)
	l.next()
	l.stop(errors.New("timeout"))
	l.Plan(stepsOfHandshake...)
	l.Begin(StepInitialize, "", 0)
	sent()
	if got := tap.plan(); got != "send server/discover failed, send initialize running, response waiting, send initialized waiting" {
		t.Errorf("steps: %s", got)
	}
	l.onSent(StepInitialize, "sent", 0)()
	if got := tap.plan(); got != "send server/discover failed, send initialize done, response running, send initialized waiting" {
		t.Errorf("steps: %s", got)
	}
}
