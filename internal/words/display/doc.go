// Package display is what texts are on a terminal: what of an untrusted text is shown, how many
// cells it is wide, where it is cut and where its lines break. It paints nothing.
package display
