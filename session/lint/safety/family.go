// Package safety checks what text of the server can do to a terminal or to a model that reads
// it.
package safety

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter Y.
func Family() rule.Family {
	return rule.Family{
		Letter: "Y", Title: "Text that is not displayed as it is",
		Rules: safetyRules, Entries: entries,
	}
}
