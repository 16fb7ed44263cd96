// Package logs is the list of what the server says beside its answers: log
// messages, lines on stderr, stray text in the place of messages.
//
// It reads the session's log and paints the entries that are visible; a filter
// is worked off in slices between two paintings. It knows no other pane and
// sends nothing: the level to send is set by an action that it returns.
package logs
