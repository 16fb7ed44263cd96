package inspector

import (
	"strings"
	"testing"
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
