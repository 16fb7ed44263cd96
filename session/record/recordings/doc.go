// Package recordings is the directory of recordings: what is in it, a summary of each
// recording, and which ones are deleted.
//
// It knows the format through package store. It must not know connections or screens.
package recordings
