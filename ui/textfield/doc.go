// Package textfield holds the fields in which text is typed: [Buffer], a text under a
// cursor with undo, of one line or many, for all others; [Input], a line that its callers
// paint; [Filter], the line of a filter or a search; [Editor], JSON that is colored, and
// checked while it is typed.
//
// Unlike the text area of Bubbles it does not limit the length of the text, and the
// cost of an edit does not grow with it. Pasted text keeps invisible characters, which
// may be part of a test, and the painting widgets show them. A raw text keeps every
// byte.
//
// The package knows keys and the syntax of JSON; what a text means is up to its callers.
//
// Tests: ui/parts/textfield*_test.go
package textfield
