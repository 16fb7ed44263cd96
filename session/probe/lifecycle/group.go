// Package lifecycle probes the handshake and the negotiation of the protocol
// version.
package lifecycle

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of the life cycle.
func Group() harness.Group {
	return harness.Group{Name: "lifecycle", Title: "Life cycle and version negotiation", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-001", Run: initBasic},
	{ID: "P-002", Run: initEachVersion},
	{ID: "P-003", Run: initOddVersion},
	{ID: "P-004", Run: initBadParams},
	{ID: "P-005", Run: initTwice},
	{ID: "P-006", Run: beforeInit},
	{ID: "P-007", Run: quietBeforeInitialized},
	{ID: "P-008", Run: initializedLateOrTwice},
	{ID: "P-009", Run: discoverFirst},
	{ID: "P-010", Run: capabilityTruth},
}
