// Package editor edits JSON in many lines: colored, checked while it is typed, and
// formatted on demand.
//
// It checks the syntax only; what the JSON is for is up to its callers.
package editor
