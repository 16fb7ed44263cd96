// Package detail shows one frame: as a tree, as the exact bytes, with the HTTP
// exchange that carried it, and beside it its pair.
//
// Large frames are read and indexed outside of the drawing goroutine. The
// package sends nothing and knows no other pane.
package detail
