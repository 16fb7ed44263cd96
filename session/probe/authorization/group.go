// Package authorization probes servers over HTTP that require a token: the
// challenge, the metadata, and what is accepted as a token.
package authorization

import (
	_ "embed"

	"mcptea/session/probe/harness"
)

//go:embed probes.jsonl
var entries []byte

// Group is the probes of authorization.
func Group() harness.Group {
	return harness.Group{Name: "auth", Title: "Authorization", Probes: probes, Entries: entries}
}

var probes = []harness.Probe{
	{ID: "P-160", Run: challenge},
	{ID: "P-161", Run: resourceMetadata},
	{ID: "P-162", Run: serverMetadata},
	{ID: "P-163", Run: invalidToken},
	{ID: "P-164", Run: suppliedTokens},
	{ID: "P-165", Run: tokenInQuery},
	{ID: "P-166", Run: sessionIsNoLogin},
	{ID: "P-167", Run: scopeChallenge},
}
