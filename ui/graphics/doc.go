// Package graphics draws pictures with the graphics of the terminal: the protocol of
// Kitty with Unicode placeholders, inline images of iTerm2, or sixel.
//
// A screen of cells knows nothing of pixels, and rewrites the cells that have changed.
// So each picture has cells of its own, which differ from all others: with Kitty they
// are the placeholders that the terminal draws the picture in. With iTerm2 and sixel
// they are blanks in a color that names the picture and its row; [Output] sees them
// when the screen is written, and writes the pixels of these rows behind them.
//
// The terminal is asked what it can do when a picture is shown for the first time.
//
// Tests: ui/parts/graphics_test.go, ui/inspector/graphics_test.go
package graphics
