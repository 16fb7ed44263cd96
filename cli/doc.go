// Package cli implements the command line: groups of commands, help and signals. The packages below it
// contain the commands (use, checks, recordings, servers, settings, inspector), find and connect to the
// server (target, link), and provide streams and exit codes (app). Folder parts has tests.
//
// Data is written to stdout, everything else to stderr. Text of a server is sanitized before it is printed on
// a terminal, and written unchanged into a pipe. Package cli makes no decisions about the protocol: it drives
// package session, or passes the session to package ui.
//
// A new command is a file in its group. The file has a method that returns a *cobra.Command, on a type that
// holds the parts of settings, target and link that the command needs. Commands of the group contains it, and
// root.go lists its name. Environment variables are read through app.App.Env. Flags are declared in groups
// (AddConnection, AddLint and others); a command declares the groups that it uses.
//
// # The start
//
// The goal is a connected server on the screen 40 ms after the command. The server starts while the terminal
// is prepared and the rules of the linter are bound. The initialization of packages prepares only data that
// every command needs: regular expressions are compiled at their first use (package lazyregexp), and tables
// are parsed in a sync.OnceValue. TestInit_AllocatesLittle in e2e bounds the initialization.
package cli
