// Package paint makes rows of styled cells: it cuts and measures text by
// width, lays styles over a background, shows what a server sent without
// obeying it, and draws the few shapes that all panes share (boxes, bars,
// overlays).
//
// It must not know what a row means: no protocol words, no keys, no state of
// panes. It imports themes and x/ansi, and Chroma in code.go alone.
//
// Nothing here is safe for concurrent use, except what says so; a Palette is
// read-only once made and may be shared.
//
// Tests: ui/parts/paint*_test.go
package paint
