// Package paint makes rows of styled cells: it cuts and measures text by
// width, lays styles over a background, shows what a server sent without
// obeying it, and draws the few shapes that all panes share (boxes, bars,
// overlays).
//
// It must not know what a row means: no protocol words, no keys, no state of
// panes. It imports themes and x/ansi, and Chroma in code.go and lexers.go alone.
//
// Nothing here is safe for concurrent use, except what says so; a Palette is
// read-only once made and may be shared.
//
// The lexers are those of the languages that results and schemas of MCP servers are usually
// written in. The package of Chroma that holds all of its lexers reads several hundred of
// them when the program starts; the ones here are read when the first text is highlighted.
// The definitions of all languages but Go and Markdown are files of Chroma, Copyright (C)
// 2017 Alec Thomas, under the MIT license in the file lexers/COPYING. A test compares them
// with the version of Chroma in go.mod, and its flag -update copies them.
//
// Tests: ui/parts/paint*_test.go
package paint
