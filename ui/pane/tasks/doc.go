// Package tasks is the pane for work that a server goes on with after it has
// answered: each task with its status, its history, and what it gave in the end.
//
// The tasks are the session's, in both designs; the pane shows copies and gives
// out actions. It asks no server, counts nothing itself, and knows no other
// pane: what a task asks of a person waits in the inbox.
package tasks
