// Package meta checks _meta: its keys, values and place.
package meta

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter M.
func Family() rule.Family {
	return rule.Family{
		Letter: "M", Title: "_meta",
		Rules: metaRules, Entries: entries,
	}
}
