// Package notifications checks progress, cancellation, logging and pagination.
package notifications

import (
	_ "embed"

	"mcptea/session/lint/rule"
)

//go:embed rules.jsonl
var entries []byte

// Family is the rules with the letter N.
func Family() rule.Family {
	return rule.Family{
		Letter: "N", Title: "Notifications: progress, cancellation, logging, pagination",
		Rules: notificationRules, Entries: entries,
	}
}
