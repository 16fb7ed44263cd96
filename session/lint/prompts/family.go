// Package prompts checks prompts and completion.
package prompts

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter P.
func Family() rule.Family {
	return rule.Family{
		Letter: "P", Title: "Prompts and completion",
		Rules: promptRules, Entries: entries,
	}
}
