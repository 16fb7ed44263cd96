// Package cli is the command line: the commands in their groups, help and signals. The
// packages below it have the commands (use, checks, recordings, servers, settings,
// inspector), the way to a server (target), and streams and exit codes (app); parts has tests.
//
// Data is written to stdout, everything else to stderr. Text of a server is sanitized
// before it is printed on a terminal; into a pipe it is written unchanged. Package
// cli decides nothing about the protocol: it drives package session, or passes the
// session to package ui.
//
// A new command is a file in its group with a method that returns a *cobra.Command, on a type that
// holds what the command needs of settings, target and link. Commands of the group has it, and
// root.go lists its name. What it reads of the environment is in app.App.Env. Flags come in groups
// (AddConnection, AddLint and others), of which a command declares those that it uses.
//
// # The start
//
// The goal is a connected server on the screen 40 ms after the command. The server starts while the
// terminal is prepared, and the rules of the linter are bound meanwhile. Packages prepare at their
// initialization only what every command needs: regular expressions are compiled at the first use
// (package lazyregexp), tables are parsed in a sync.OnceValue. TestInit_AllocatesLittle in e2e
// bounds it.
package cli
