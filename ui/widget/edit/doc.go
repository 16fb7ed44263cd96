// Package edit is the text under a cursor that all input widgets share: one
// line or many, moved through by grapheme and by word.
//
// Unlike the text area of Bubbles it neither draws itself on each key nor
// limits its length, so a pasted megabyte stays quick. Pasted text keeps what
// is invisible, since that may be what somebody wants to send, and the
// painting widgets show it.
//
// The package knows keys and nothing of what the text means.
package edit
