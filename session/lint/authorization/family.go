// Package authorization checks authorization: challenges, metadata, and the use of tokens.
package authorization

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter A.
func Family() rule.Family {
	return rule.Family{
		Letter: "A", Title: "Authorization",
		Rules: authorizationRules, Entries: entries,
	}
}
