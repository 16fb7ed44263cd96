// Package paint makes rows of styled cells. It cuts and measures text by width, puts styles over a
// background, displays text of a server without obeying its control sequences, and draws the shapes
// that all panes share (boxes, bars, overlays).
// It must not depend on the meaning of a row: it has no protocol words, no keys, and no state of
// panes. It imports themes and x/ansi, and Chroma only in code.go and lexers.go.
// Nothing here is safe for concurrent use unless documented. A Palette is read-only once made and
// may be shared.
// The lexers are for languages that are common in results and schemas of MCP servers. Chroma's own
// package of all lexers reads several hundred of them when the program starts. This package reads a
// lexer when the first text in its language is highlighted. The definitions of all languages except
// Go and Markdown are files of Chroma, Copyright (C) 2017 Alec Thomas, under the MIT license in the
// file lexers/COPYING. A test compares them with the version of Chroma in go.mod, and its flag
// -update copies them.
// Tests: ui/parts/paint*_test.go
package paint
