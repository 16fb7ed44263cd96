// Package envelope probes how a server handles messages that violate JSON-RPC or
// use its edges.
package envelope

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of the JSON-RPC envelope.
func Group() harness.Group {
	return harness.Group{Name: "envelope", Title: "JSON-RPC", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-020", Run: parseError},
	{ID: "P-021", Run: invalidRequest},
	{ID: "P-022", Run: memberCase},
	{ID: "P-023", Run: unknownMethod},
	{ID: "P-024", Run: paramsShape},
	{ID: "P-025", Run: toleratedExtras},
	{ID: "P-026", Run: idRoundtrip},
	{ID: "P-027", Run: idBad},
	{ID: "P-028", Run: notificationsSilent},
	{ID: "P-029", Run: kindConfusion},
	{ID: "P-030", Run: batchAccepted},
	{ID: "P-031", Run: batchRemoved},
	{ID: "P-032"},
	{ID: "P-033"},
}
