package lint

import (
	_ "embed"
)

//go:embed tools/rules.jsonl
var toolsEntries []byte

// toolsFamily is the rules with the letter T.
func toolsFamily() Family { return Family{letter: "T", rules: toolRules, entries: toolsEntries} }
