// Package remedy turns the remedies of an explanation into actions, and applies their settings to a link. A
// remedy is a flag of the command line: the inspector applies it at a key press, and a command prints it.
//
// Nothing that a server has named is run or contacted by itself: names and values from a server are proposals
// that the user completes or agrees to.
package remedy
