// Package traffic implements the list of frames, in order and live.
//
// It reads rows of the store and paints the visible ones. It applies a filter in slices between two paintings,
// so that a million frames delay neither a key nor a frame. It depends on no other pane and sends nothing.
//
// Tests: ui/pane/traffic*_test.go
package traffic
