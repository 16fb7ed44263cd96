package lint

import (
	_ "embed"
)

//go:embed batch/rules.jsonl
var batchEntries []byte

// batchFamily is the rules with the letter B.
func batchFamily() Family { return Family{letter: "B", rules: batchRules, entries: batchEntries} }
