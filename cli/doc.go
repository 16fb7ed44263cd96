// Package cli is the command line: one file per command, and what commands share
// (targets, flags, settings, exit codes, error messages).
//
// Data is written to stdout, everything else to stderr. Text of a server is sanitized
// before it is printed on a terminal; into a pipe it is written unchanged. Package
// cli decides nothing about the protocol: it drives package session, or passes the
// session to package ui.
package cli
