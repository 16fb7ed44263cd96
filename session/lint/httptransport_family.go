package lint

import (
	_ "embed"
)

//go:embed httptransport/rules.jsonl
var httptransportEntries []byte

// httptransportFamily is the rules with the letter H.
func httptransportFamily() Family {
	return Family{letter: "H", rules: httpRules, entries: httptransportEntries}
}
