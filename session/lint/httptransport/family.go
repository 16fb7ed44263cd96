// Package httptransport checks Streamable HTTP and HTTP+SSE: requests, responses, event streams and
// sessions.
package httptransport

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter H.
func Family() rule.Family {
	return rule.Family{
		Letter: "H", Title: "HTTP",
		Rules: httpRules, Entries: entries,
	}
}
