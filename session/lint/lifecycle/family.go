// Package lifecycle checks initialization, version negotiation, discovery and shutdown.
package lifecycle

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter L.
func Family() rule.Family {
	return rule.Family{
		Letter: "L", Title: "Initialization, versions and discovery",
		Rules: lifecycleRules, Entries: entries,
	}
}
