// Package load probes load: latency, large and deep values, many requests, many connections.
package load

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of load: latency, large and deep values, many requests, many connections.
func Group() harness.Group {
	return harness.Group{Name: "load", Title: "Load", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-185", Run: pingLatency},
	{ID: "P-186", Run: largeValues},
	{ID: "P-187", Run: deepJSON},
	{ID: "P-188", Run: flood},
	{ID: "P-189", Run: churn},
}
