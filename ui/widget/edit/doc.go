// Package edit is a text under a cursor, for all widgets with text: one line or many,
// with undo, moved through by grapheme and by word.
//
// Unlike the text area of Bubbles it does not limit the length of the text, and the
// cost of an edit does not grow with it. Pasted text keeps invisible characters, which
// may be part of a test, and the painting widgets show them. A raw text keeps every
// byte.
//
// The package knows keys; what the text means is up to its callers.
package edit
