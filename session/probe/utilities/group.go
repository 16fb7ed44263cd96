// Package utilities probes ping, logging, progress and cancellation.
package utilities

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of ping, logging, progress and cancellation.
func Group() harness.Group {
	return harness.Group{Name: "utilities", Title: "Ping, logging, progress, cancellation", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-081", Run: setLevel},
	{ID: "P-082", Run: logFilter},
	{ID: "P-085", Run: pingShape},
	{ID: "P-086", Run: progressTokens},
	{ID: "P-087", Run: cancelRunning},
	{ID: "P-088", Run: cancelStray},
}
