// Package primitives holds what the demo server shows: tools of every schema shape,
// resources, templates and prompts. All of it is deterministic: no clock, no chance, no
// network.
//
// An entry is a line of tools.jsonl, resources.jsonl, templates.jsonl or prompts.jsonl:
// its wire form in the newest protocol version, who sees it, and its result if that is
// constant. The functions of the others are in runs.
//
// It builds on package peer, which serves the tables, and must know nothing of
// transports and faults.
//
// A new tool is such a line, a function in run.go if its result is not constant, and a row in
// demo/tools_test.go; resources and prompts alike. Screens of tests show a fixed list
// (internal/test/sessiontest/fixed.go). The steps of the lesson are steps.jsonl; what shows that one
// is done is in ui/inspector/lesson.go.
package primitives
