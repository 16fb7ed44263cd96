package lint

import (
	_ "embed"
)

//go:embed stateless/rules.jsonl
var statelessEntries []byte

// statelessFamily is the rules with the letter X.
func statelessFamily() Family {
	return Family{letter: "X", rules: modernRules, entries: statelessEntries}
}
