// Package themes holds the color roles of the program and the theme files that
// define them.
//
// A role says what a piece of text means (a key, an error, a request to the server),
// not where it is. The package knows the colors of terminals, so that a theme is
// readable with 16, 256 and 16 million of them, but emits no escape sequences;
// ui/paint does. It imports the standard library and a YAML parser only.
//
// A new theme is a file here, a row of order in catalog.go, and a row in docs/themes.md. Tests check
// that it sets every role, and the contrast.
package themes
