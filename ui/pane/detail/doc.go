// Package detail implements the pane of the selected frame: as a tree, as exact bytes, with the HTTP exchange
// that carried it, and with its pair next to it.
//
// Large frames are read and indexed outside of the drawing goroutine. The package sends nothing and does not
// depend on other panes.
package detail
