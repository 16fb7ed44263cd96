package lint

import (
	_ "embed"
)

//go:embed lifecycle/rules.jsonl
var lifecycleEntries []byte

// lifecycleFamily is the rules with the letter L.
func lifecycleFamily() Family {
	return Family{letter: "L", rules: lifecycleRules, entries: lifecycleEntries}
}
