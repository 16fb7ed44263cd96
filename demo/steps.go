package demo

import (
	_ "embed" // the steps

	tables "mcptea/internal/catalog"
)

// Step is a step of the lesson that the inspector shows on the demo server.
type Step struct {
	// Name is the name of the user's action, for the inspector.
	Name string
	// Text explains the step. A name in braces is the id of a command, which stands for its key, or a key.
	Text string
	// Keys are keys that do it after the steps before, for a test: names in angle brackets, everything
	// else letter by letter.
	Keys string
}

//go:embed primitives/steps.jsonl
var stepTable []byte

// Steps returns the steps in their order. The slice must not be changed.
var Steps = tables.Lazy[Step](stepTable)
