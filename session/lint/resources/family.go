// Package resources checks resources, templates, subscriptions to resources and roots.
package resources

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter R.
func Family() rule.Family {
	return rule.Family{
		Letter: "R", Title: "Resources and roots",
		Rules: resourceRules, Entries: entries,
	}
}
