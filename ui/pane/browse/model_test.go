package browse

import (
	"testing"

	"mcptea/check/modelview"
)

// The tools are first shown as the host hands them to a model that the session impersonates.
func TestHostOf_Impersonated(t *testing.T) {
	for as, want := range map[string]string{
		"": "claude", "Cursor 3.20.17": "cursor", "Claude Code 2.1.285 (clientInfo)": "claude-code", "Another host 1": "claude",
	} {
		if got := modelview.Hosts()[hostOf(as)].ID; got != want {
			t.Errorf("as %q: %s, want %s", as, got, want)
		}
	}
}
