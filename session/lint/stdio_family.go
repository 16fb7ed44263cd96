package lint

import (
	_ "embed"
)

//go:embed stdio/rules.jsonl
var stdioEntries []byte

// stdioFamily is the rules with the letter K.
func stdioFamily() Family { return Family{letter: "K", rules: stdioRules, entries: stdioEntries} }
