// Package start is the pane of a program that was started without a target: the
// configured servers, recent targets and recordings in one list, over it a line that
// filters the list or is itself a target, and below it the selected entry in full.
//
// It is given its entries and returns the arguments of mcptea that open one; it reads
// and starts nothing.
package start
