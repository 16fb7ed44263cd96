package inspector

import (
	"errors"
	"strings"
	"testing"

	"mcptea/session/session"
)

// A command line of mcptea that is a server is started as one; the others are run.
func TestServes_CommandsOfMcptea(t *testing.T) {
	for line, want := range map[string]bool{
		"mcptea demo --serve": true, "mcptea demo --serve --era 2025-11-25": true, "mcptea mcp": true, "mcptea mock file.jsonl": true,
		"mcptea mock --listen=:0 file.jsonl": false, "mcptea demo": false, "mcptea open file.jsonl": false, "mcptea": false,
	} {
		if serves(strings.Fields(line)) != want {
			t.Errorf("%s is a server: %v", line, !want)
		}
	}
}

// A session that ends with its terminal is remembered as one that was connected.
func TestOutcomeOf_WhoHasClosedIt(t *testing.T) {
	for _, tc := range []struct {
		state  session.State
		text   string
		failed bool
	}{
		{session.State{Phase: session.Ready}, "connected", false},
		{session.State{Phase: session.Ended}, "connected", false},
		{session.State{Phase: session.Ended, Err: errors.New("reset by peer")}, "connection ended", true},
		{session.State{Phase: session.Failed, Err: errors.New("refused")}, "not connected", true},
	} {
		if text, failed := outcomeOf(tc.state); text != tc.text || failed != tc.failed {
			t.Errorf("%+v: %s %v", tc.state.Phase, text, failed)
		}
	}
}
