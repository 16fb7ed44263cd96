package lint

import (
	_ "embed"
)

//go:embed safety/rules.jsonl
var safetyEntries []byte

// safetyFamily is the rules with the letter Y.
func safetyFamily() Family { return Family{letter: "Y", rules: safetyRules, entries: safetyEntries} }
