package revision_test

import (
	"testing"

	"mcptea/client/revision"
)

func TestExtensionText(t *testing.T) {
	for id, want := range map[string]string{
		"io.modelcontextprotocol/tasks":       "long calls that run as tasks",
		"io.modelcontextprotocol/skills":      "instructions that a model loads when it needs them",
		"io.modelcontextprotocol/events":      "events of upstream systems, by polls, streams and webhooks",
		"io.modelcontextprotocol/server-card": "not known to this mcptea (its list is of 2026-11-27)",
		"com.example/tea":                     "not official, and unknown to mcptea",
		"io.modelcontextprotocol/task":        "! not known to this mcptea (its list is of 2026-11-27); io.modelcontextprotocol/tasks may be meant",
		"io.modelcontextprotocol/zzzzzz":      "not known to this mcptea (its list is of 2026-11-27)",
	} {
		text, doubtful := revision.ExtensionText(id)
		if doubtful {
			text = "! " + text
		}
		if text != want {
			t.Errorf("%s: %s, want %s", id, text, want)
		}
	}
}
