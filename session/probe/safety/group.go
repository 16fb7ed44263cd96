// Package safety probes what is a risk although it may be valid: hidden characters, instructions for models, leaks.
package safety

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of what is a risk although it may be valid: hidden characters, instructions for models, leaks.
func Group() harness.Group {
	return harness.Group{Name: "security", Title: "Security", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-170"},
	{ID: "P-171", Run: injectionPhrases},
	{ID: "P-176"},
	{ID: "P-177", Run: secretEcho},
	{ID: "P-179", Run: falseReadOnly},
	{ID: "P-180", Run: argumentEvaluation},
}
