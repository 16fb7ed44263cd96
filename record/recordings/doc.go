// Package recordings manages the directory of recordings: its contents, a summary of each recording, and which
// ones are deleted.
//
// It reads the format through package store. It must not depend on connections or screens.
package recordings
