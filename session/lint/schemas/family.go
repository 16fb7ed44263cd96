// Package schemas checks the schemas of tools and forms, what must be valid against them, and
// content blocks.
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
