// Package markdown lays out Markdown in lines of styled text: headings, lists, quotations, tables and code
// in the colors of the palette. A line of the source stays a line, so that a text that turns out not to be
// Markdown keeps its layout.
//
// The parser is goldmark's. Glamour, which is built on it, initializes all lexers
// and styles of Chroma at the start of the program, and returns finished rows, with
// links in OSC 8; here rows are counted, cut and sanitized by package paint.
//
// Tests: ui/parts/markdown_test.go
package markdown
