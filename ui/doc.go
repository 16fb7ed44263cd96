// Package ui is the interactive face: the one Bubble Tea model, which owns the
// screen, the focus and the overlays.
//
// Panes are plain structs below ui/pane. The model gives them keys and
// rectangles; they give it rows and actions, and it carries the actions out.
// Frames never become Bubble Tea messages: the model is woken at
// most thirty times a second and reads snapshots of the store.
//
// Update does no I/O and reads no clock: what takes time runs in commands, and
// messages bring the time.
package ui
