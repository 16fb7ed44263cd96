// Package recordings is the list of recordings with a summary of the selected one.
//
// It reads a catalog and returns actions. It must not open, delete or read files.
package recordings
