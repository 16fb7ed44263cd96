// Package batch checks JSON-RPC batches, which only 2025-03-26 defines.
package batch

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter B.
func Family() rule.Family {
	return rule.Family{
		Letter: "B", Title: "Batches",
		Rules: batchRules, Entries: entries,
	}
}
