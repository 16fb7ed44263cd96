package lint

import (
	_ "embed"
	"slices"
)

//go:embed envelope/rules.jsonl
var envelopeEntries []byte

// envelopeFamily is the rules with the letter J.
func envelopeFamily() Family {
	return Family{letter: "J", rules: slices.Concat(envelopeRules, correlationRules), entries: envelopeEntries}
}
