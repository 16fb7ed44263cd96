// Package errorcodes checks the codes and texts of error responses.
package errorcodes

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter E.
func Family() rule.Family {
	return rule.Family{
		Letter: "E", Title: "Error codes",
		Rules: codeRules, Entries: entries,
	}
}
