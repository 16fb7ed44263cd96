// Package themes holds the colour roles of the program and the theme files
// that fill them.
//
// A role says what a piece of text means (a key, an error, a request that goes
// out), never where it stands. The package is a leaf: it imports the standard
// library only, emits no escape sequences and knows nothing of terminals; the
// painter turns roles into sequences.
package themes
