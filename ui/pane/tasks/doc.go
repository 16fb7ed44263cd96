// Package tasks is the pane of the tasks of a session: the status, the history and
// the outcome of each.
//
// It shows copies and returns actions; it sends nothing itself. The input that a
// task requires is given in the inbox.
package tasks
