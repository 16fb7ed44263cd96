// Package primitives holds the tools, resources, templates and prompts of the demo server, with every shape
// of schema. All of it is deterministic: it uses no clock, no random numbers and no network.
//
// An entry is a line of tools.jsonl, resources.jsonl, templates.jsonl or prompts.jsonl: its wire form in the
// newest protocol version, the clients that see it, and its result if that is constant. For other results,
// runs maps the entry to a function.
//
// Package peer serves these tables. Package primitives must not depend on transports and faults.
//
// A new tool needs a line in tools.jsonl, a function in run.go if its result is not constant, and a row in
// demo/tools_test.go; the same holds for resources and prompts. Screens of tests show a fixed list
// (internal/test/sessiontest/fixed.go). The steps of the lesson are in steps.jsonl; ui/inspector/lesson.go
// decides when a step is done.
package primitives
