// Package httptransport probes servers over Streamable HTTP and HTTP+SSE with raw
// requests: headers, sessions, streams, and the protection against requests of web
// pages.
package httptransport

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of the HTTP transports.
func Group() harness.Group {
	return harness.Group{Name: "http", Title: "HTTP", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-113", Run: dnsRebinding},
}
