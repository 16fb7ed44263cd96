package lint

import (
	_ "embed"
)

//go:embed schemas/rules.jsonl
var schemasEntries []byte

// schemasFamily is the rules with the letter S.
func schemasFamily() Family { return Family{letter: "S", rules: schemaRules, entries: schemasEntries} }
