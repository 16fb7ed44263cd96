// Package traffic is the list of frames: what crossed the wire, in order, live.
//
// It reads rows of the store and paints those that are visible; a filter is
// worked off in slices between two paintings, so a million frames neither
// delay a key nor a frame. It knows no other pane and sends nothing.
//
// Tests: ui/pane/traffic*_test.go
package traffic
