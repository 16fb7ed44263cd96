// Package concurrency probes many requests at once, equal ids, and several
// connections.
package concurrency

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of concurrency.
func Group() harness.Group {
	return harness.Group{Name: "concurrency", Title: "Concurrency", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-040", Run: parallel},
	{ID: "P-041", Run: idCollision},
	{ID: "P-042", Run: slowDoesNotBlock},
	{ID: "P-043", Run: crossConnectionIDs},
	{ID: "P-178", Run: canary},
}
