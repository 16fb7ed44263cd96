// Package callbacks probes requests of the server to the client.
package callbacks

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of requests of the server to the client.
func Group() harness.Group {
	return harness.Group{Name: "callbacks", Title: "Requests of the server", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-095", Run: caplessClient},
	{ID: "P-096", Run: oddAnswers},
	{ID: "P-097", Run: callsBack},
}
