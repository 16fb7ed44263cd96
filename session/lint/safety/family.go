// Package safety checks text of the server that a terminal would execute, or that
// a user does not see as it is.
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
