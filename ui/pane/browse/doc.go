// Package browse is the pane of what a server offers, its tools, its resources or its prompts:
// the list of them, and the selected one with what is filled in for it, its calls and their
// results.
//
// Tests: ui/pane/browse_list_test.go
package browse
