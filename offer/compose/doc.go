// Package compose helps to write a frame by hand: it finds what can be written at a place of the text, why a
// server may reject the frame, and which reaction to expect from the server.
package compose
