package lint

import (
	_ "embed"
)

//go:embed errorcodes/rules.jsonl
var errorcodesEntries []byte

// errorcodesFamily is the rules with the letter E.
func errorcodesFamily() Family {
	return Family{letter: "E", rules: codeRules, entries: errorcodesEntries}
}
