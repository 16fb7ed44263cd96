package client_test

import (
	"testing"

	"mcptea/client/revision"
)

func TestExtensionText(t *testing.T) {
	for id, want := range map[string]string{
		"io.modelcontextprotocol/tasks":  "long calls that run as tasks",
		"io.modelcontextprotocol/skills": "instructions that a model loads when it needs them",
		"com.example/tea":                "not official, and unknown to mcptea",
		"io.modelcontextprotocol/task":   "! not official, although its prefix says so; io.modelcontextprotocol/tasks may be meant",
		"io.modelcontextprotocol/zzzzzz": "! mcptea knows no official extension with this id",
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
