// Package logs implements the pane of what a server writes in addition to its messages: log messages, stderr
// lines, and text sent instead of messages.
//
// It reads the log of the session and paints the visible entries; a filter works in slices.
//
// Tests: ui/pane/logs_test.go
package logs
