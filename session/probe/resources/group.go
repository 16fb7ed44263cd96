// Package resources probes resources: unknown and malformed URIs, contents, templates, subscriptions.
package resources

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of resources: unknown and malformed URIs, contents, templates, subscriptions.
func Group() harness.Group {
	return harness.Group{Name: "resources", Title: "Resources", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-065", Run: unknown},
	{ID: "P-066", Run: badURI},
	{ID: "P-067", Run: readListed},
	{ID: "P-068", Run: templateValues},
	{ID: "P-069", Run: traversal},
	{ID: "P-070", Run: subscribe},
}
