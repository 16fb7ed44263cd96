// Package lists probes lists: their pages, and the quality of what they say.
package lists

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of lists: their pages, and the quality of what they say.
func Group() harness.Group {
	return harness.Group{Name: "lists", Title: "Lists", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-045", Run: pageWalk},
	{ID: "P-046", Run: listStable},
	{ID: "P-047", Run: cursorBad},
	{ID: "P-048", Run: descriptions},
	{ID: "P-049", Run: size},
	{ID: "P-172", Run: lookalikeNames},
	{ID: "P-173", Run: oversize},
	{ID: "P-174", Run: definitionsByClient},
	{ID: "P-175", Run: func(r *harness.Run) { r.Skip("needs --baseline") }}, // package baseline judges
}
