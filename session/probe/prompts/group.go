// Package prompts probes prompts and completion.
package prompts

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of prompts and completion.
func Group() harness.Group {
	return harness.Group{Name: "prompts", Title: "Prompts and completion", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-075", Run: refusals},
	{ID: "P-076", Run: getValid},
	{ID: "P-078", Run: completionValid},
	{ID: "P-079", Run: completionRefusals},
}
