// Package detail implements the pane with the selected frame: as a tree, as exact bytes, with the
// HTTP exchange that carried the frame, or with its request or response next to it.
// Large frames are read and indexed outside of the drawing goroutine. The package sends nothing and
// does not depend on other panes.
package detail
