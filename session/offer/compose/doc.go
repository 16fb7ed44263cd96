// Package compose is what is known of a frame that is written by hand: what can be
// written at a place of its text, why a server may reject it, and which reaction is
// expected of the server.
package compose
