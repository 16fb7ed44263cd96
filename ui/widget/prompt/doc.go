// Package prompt is one line of input with completion and history.
//
// What the candidates are, and what is wrong with the text, is told by the
// caller; the package knows keys and painting only.
package prompt
