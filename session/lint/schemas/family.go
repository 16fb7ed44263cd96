// Package schemas checks schemas, the values that must be valid against them,
// content blocks, elicitation and sampling.
package schemas

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter S.
func Family() rule.Family {
	return rule.Family{
		Letter: "S", Title: "Schemas, content, elicitation and sampling",
		Rules: schemaRules, Entries: entries,
	}
}
