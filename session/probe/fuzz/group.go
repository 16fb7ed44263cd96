// Package fuzz calls tools with values at and beyond the edges of their input
// schemas, and shrinks what fails to the smallest call.
package fuzz

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the one probe of this package.
func Group() harness.Group {
	return harness.Group{Name: "fuzz", Title: "Fuzzing of tools", Probes: []harness.Probe{{ID: "P-200", Run: tools}}, Entries: entries}
}
