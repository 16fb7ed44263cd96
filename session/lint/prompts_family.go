package lint

import (
	_ "embed"
)

//go:embed prompts/rules.jsonl
var promptsEntries []byte

// promptsFamily is the rules with the letter P.
func promptsFamily() Family { return Family{letter: "P", rules: promptRules, entries: promptsEntries} }
