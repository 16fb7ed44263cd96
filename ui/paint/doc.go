// Package paint makes rows of styled cells: it cuts and measures text by width, puts styles over a background,
// shows text of a server without obeying its control sequences, and draws the shapes that all panes share
// (boxes, bars, overlays).
//
// It must not depend on the meaning of a row: no protocol words, no keys, no state of panes. It imports themes
// and x/ansi, and Chroma only in code.go and lexers.go.
//
// Nothing here is safe for concurrent use unless documented. A Palette is read-only once made and may be
// shared.
//
// The lexers are those for languages common in results and schemas of MCP servers. Chroma's own package of all
// lexers reads several hundred of them when the program starts; these are read when the first text is
// highlighted. The definitions of all languages except Go and Markdown are files of Chroma, Copyright (C) 2017
// Alec Thomas, under the MIT license in the file lexers/COPYING. A test compares them with the version of
// Chroma in go.mod, and its flag -update copies them.
//
// Tests: ui/parts/paint*_test.go
package paint
