// Package browse implements the pane of what a server offers, its tools, its resources or its prompts: their
// list, and the selected one with the values filled in for it, its calls and their results.
//
// Tests: ui/pane/browse_list_test.go
package browse
