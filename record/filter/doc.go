// Package filter implements the language for selecting frames: words in their bytes, and a few properties.
//
//	timeout            the word is somewhere in the frame
//	"two words"        these words in a row
//	-ping              frames without it
//	method:tools/*     frames of these methods, and their responses
//	status:error       frames that something is wrong with
//
// All parts must match. The package depends on rows of the store and bytes, but not on a screen.
package filter
