// Package tools checks lists of tools, their calls and the results.
package tools

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter T.
func Family() rule.Family {
	return rule.Family{
		Letter: "T", Title: "Tools",
		Rules: toolRules, Entries: entries,
	}
}
