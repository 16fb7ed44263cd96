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
	{ID: "P-110", Run: accept},
	{ID: "P-111", Run: contentType},
	{ID: "P-113", Run: dnsRebinding},
	{ID: "P-114", Run: originForeign},
	{ID: "P-115", Run: sessionHeader},
	{ID: "P-116", Run: sessionDelete},
	{ID: "P-117", Run: sessionIDQuality},
	{ID: "P-118", Run: sessionFixation},
	{ID: "P-119", Run: versionHeader},
	{ID: "P-120", Run: getStream},
	{ID: "P-121", Run: resume},
	{ID: "P-122", Run: otherMethods},
	{ID: "P-123", Run: cors},
	{ID: "P-124", Run: body},
	{ID: "P-125", Run: slowClient},
	{ID: "P-126", Run: (*harness.Run).AwaitStreams}, // lint rules judge them
	{ID: "P-127", Run: exposure},
	{ID: "P-130"},
	{ID: "P-131", Run: sseUnknownSession},
}
