// Package envelope checks the JSON-RPC envelope of messages: their members, ids and methods, and
// which response belongs to which request.
package envelope

import (
	_ "embed"
	"slices"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter J.
func Family() rule.Family {
	return rule.Family{
		Letter: "J", Title: "Envelope, ids and responses",
		Rules: slices.Concat(envelopeRules, correlationRules), Entries: entries,
	}
}
