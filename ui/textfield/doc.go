// Package textfield implements text fields: [Buffer], a text with a cursor and undo, of one line or many, on
// which the others are built; [Input], a line that its callers paint; [Filter], the line of a filter or a
// search; [Editor], JSON that is colored and checked while it is typed.
//
// Unlike Bubbles' text area, it does not limit the length of the text, and the cost of an edit does not grow
// with it. Pasted text keeps invisible characters, which may be part of a test, and the painting widgets show
// them. A raw text keeps every byte.
//
// The package handles keys and the syntax of JSON. The meaning of a text is up to its callers.
//
// Tests: ui/parts/textfield*_test.go
package textfield
