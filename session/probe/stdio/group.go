// Package stdio probes the stdio transport: what is on stdout, line endings, and the end of the process.
package stdio

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of the stdio transport: what is on stdout, line endings, and the end of the process.
func Group() harness.Group {
	return harness.Group{Name: "stdio", Title: "stdio", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-100"},
	{ID: "P-101", Run: eofExit},
	{ID: "P-102", Run: sigterm},
	{ID: "P-103", Run: lineEndings},
	{ID: "P-104", Run: partialWrite},
	{ID: "P-105", Run: invalidUTF8},
	{ID: "P-106", Run: framingAbuse},
	{ID: "P-107", Run: backPressure},
	{ID: "P-190", Run: restartClean},
}
