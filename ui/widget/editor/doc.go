// Package editor edits JSON in many lines: coloured, checked as it is typed,
// and put in form on demand.
//
// It checks syntax only; what the JSON is for is not its business.
package editor
