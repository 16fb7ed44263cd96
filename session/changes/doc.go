// Package changes compares what a server offers, its lists, capabilities and
// instructions, with what the user has seen of it: after a restart, or after a
// notification that a list has changed.
//
// What is there first counts as seen. A difference stays until it is marked as seen,
// or the server takes it back; further restarts add to it. The package knows no screen.
package changes
