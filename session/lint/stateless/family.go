// Package stateless checks what 2026-07-28 defines: multi-round-trip requests, subscriptions,
// caching, tasks and extensions.
package stateless

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter X.
func Family() rule.Family {
	return rule.Family{
		Letter: "X", Title: "2026-07-28: input requests, subscriptions, caching, tasks, extensions",
		Rules: statelessRules, Entries: entries,
	}
}
