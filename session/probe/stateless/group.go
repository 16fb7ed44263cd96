// Package stateless probes the stateless requests of 2026-07-28.
package stateless

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of the stateless requests of 2026-07-28.
func Group() harness.Group {
	return harness.Group{Name: "stateless", Title: "Stateless requests (2026-07-28)", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-140", Run: discover},
	{ID: "P-141", Run: metaRequired},
	{ID: "P-142", Run: versionUnsupported},
	{ID: "P-143", Run: headerVersion},
	{ID: "P-144", Run: headerMethod},
	{ID: "P-145", Run: headerName},
	{ID: "P-147", Run: removedMethods},
	{ID: "P-148", Run: statelessFirst},
	{ID: "P-149", Run: legacyArtifacts},
	{ID: "P-150", Run: listen},
	{ID: "P-151"},
	{ID: "P-152"},
	{ID: "P-153", Run: logOptIn},
	{ID: "P-154", Run: mrtrCapabilities},
	{ID: "P-155", Run: mrtrRounds},
}
