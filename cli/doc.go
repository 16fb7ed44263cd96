// Package cli is the command line: one file a command, and what the commands
// share (targets, flags, exit codes, how a failure is told).
//
// Data goes to stdout, everything else to stderr. What a server sent is printed
// on a terminal only after it was sanitised; into a pipe it goes as it came.
// Package cli decides nothing about the protocol: it drives package session,
// or hands the session to package ui.
package cli
