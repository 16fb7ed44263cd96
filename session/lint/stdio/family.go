// Package stdio checks the lines on stdin and stdout and the server process.
package stdio

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter K.
func Family() rule.Family {
	return rule.Family{
		Letter: "K", Title: "stdio: lines and process",
		Rules: stdioRules, Entries: entries,
	}
}
