// Package logs is the pane of what a server writes beside its messages: log
// messages, lines on stderr, and text in place of messages.
//
// It reads the log of the session and paints the visible entries; a filter works in
// slices.
//
// Tests: ui/pane/logs_test.go
package logs
