// Package capability checks that each side uses only what was negotiated, and declares what it
// uses.
package capability

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter C.
func Family() rule.Family {
	return rule.Family{
		Letter: "C", Title: "Capabilities",
		Rules: capabilityRules, Entries: entries,
	}
}
