package capability

import (
	"fmt"
	"testing"
)

func TestRefusals_Bound(t *testing.T) {
	var own refusals
	for i := range maxRefusals {
		own.add(fmt.Sprintf("refusal %d.", i))
	}
	if !own.relayed("error: refusal 0.") {
		t.Error("the oldest is forgotten at the bound")
	}
	own.add("one more")
	if own.relayed("refusal 0.") || !own.relayed("refusal 1.") || !own.relayed("one more") || len(own.texts) != maxRefusals {
		t.Errorf("beyond the bound: %q", own.texts)
	}
}
