// Package tools probes tools: unknown names, malformed and wrong arguments, valid
// calls and what is declared of them.
package tools

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of tools.
func Group() harness.Group {
	return harness.Group{Name: "tools", Title: "Tools", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-050", Run: toolUnknown},
	{ID: "P-051", Run: toolOddNames},
	{ID: "P-052", Run: toolMalformedCall},
	{ID: "P-053", Run: toolMissingRequired},
	{ID: "P-054", Run: toolWrongValue},
	{ID: "P-055", Run: toolExtraArguments},
	{ID: "P-056", Run: toolAbsentArguments},
	{ID: "P-057"},
	{ID: "P-058", Run: toolCallValid},
}
