package lint

import (
	_ "embed"
)

//go:embed notifications/rules.jsonl
var notificationsEntries []byte

// notificationsFamily is the rules with the letter N.
func notificationsFamily() Family {
	return Family{letter: "N", rules: notificationRules, entries: notificationsEntries}
}
