// Package ui is the interactive face: one Bubble Tea program, which shows one screen at a
// time (the inspector, the start screen, the list of recordings) and windows over it.
//
// Panes are below ui/pane. They paint on a canvas, list their commands as values, and ask
// the program for what only it can do ([mcptea/ui/app]). Frames never become Bubble Tea
// messages: the program is woken at most thirty times a second, and panes read snapshots of
// the store.
//
// Update does no I/O and reads no clock: what takes time runs on goroutines, and messages
// bring the time.
package ui
