package lint

import (
	_ "embed"
)

//go:embed authorization/rules.jsonl
var authorizationEntries []byte

// authorizationFamily is the rules with the letter A.
func authorizationFamily() Family {
	return Family{letter: "A", rules: authorizationRules, entries: authorizationEntries}
}
