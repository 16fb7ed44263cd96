// Package termsvg draws the screen of a terminal emulator as SVG: a still picture,
// or an animation of several screens. The documentation shows pictures that tests
// make with it.
//
// Text stays text, in the monospaced font of the viewer and stretched to the cells where that
// font is narrower. Box-drawing characters, block elements and braille patterns are paths, so
// that lines join whatever the font. The output depends on only the screens: equal screens give
// equal bytes.
package termsvg
