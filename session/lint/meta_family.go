package lint

import (
	_ "embed"
)

//go:embed meta/rules.jsonl
var metaEntries []byte

// metaFamily is the rules with the letter M.
func metaFamily() Family { return Family{letter: "M", rules: metaRules, entries: metaEntries} }
