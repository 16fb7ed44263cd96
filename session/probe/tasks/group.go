// Package tasks probes tasks.
package tasks

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of tasks.
func Group() harness.Group {
	return harness.Group{Name: "tasks", Title: "Tasks", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-090", Run: unknownTask},
	{ID: "P-091", Run: lifecycle},
	{ID: "P-092", Run: taskSupport},
}
