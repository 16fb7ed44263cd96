// Package filter is the language in which frames are chosen: words that stand
// in their bytes, and a few properties.
//
//	timeout            the word is somewhere in the frame
//	"two words"        these words in a row
//	-ping              frames without it
//	method:tools/*     frames of these methods, and their responses
//	status:error       frames that something is wrong with
//
// All parts must hold. It knows rows of the store and bytes, and no screen.
package filter
