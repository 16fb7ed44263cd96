package lint

import (
	_ "embed"
)

//go:embed resources/rules.jsonl
var resourcesEntries []byte

// resourcesFamily is the rules with the letter R.
func resourcesFamily() Family {
	return Family{letter: "R", rules: resourceRules, entries: resourcesEntries}
}
