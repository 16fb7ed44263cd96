// Package termsvg draws the screen of a terminal emulator as SVG: a still picture, or an animation of several
// screens. Tests use it to make the pictures of the documentation.
//
// Text stays text, in the monospaced font of the viewer, stretched to the cells if that font is narrower.
// Box-drawing characters, block elements and braille patterns are paths, so that lines join in any font. The
// output depends only on the screens: equal screens give equal bytes.
package termsvg
