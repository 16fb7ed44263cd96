package lint

import (
	_ "embed"
)

//go:embed capability/rules.jsonl
var capabilityEntries []byte

// capabilityFamily is the rules with the letter C.
func capabilityFamily() Family {
	return Family{letter: "C", rules: capabilityRules, entries: capabilityEntries}
}
