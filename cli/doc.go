// Package cli is the command line: the commands in their groups, help and signals. The
// packages below it have the commands (use, checks, recordings, servers, settings,
// inspector), the way to a server (target), and streams and exit codes (app); parts has tests.
//
// Data is written to stdout, everything else to stderr. Text of a server is sanitized
// before it is printed on a terminal; into a pipe it is written unchanged. Package
// cli decides nothing about the protocol: it drives package session, or passes the
// session to package ui.
package cli
