// Package session is one debugging session: a connection to a server, and the
// record of everything that happened on it, over restarts of the server.
//
// It drives the client and serves the user interface and scripts. It is the
// client's tap: each frame goes to the store first; then the session updates its
// state: lists that changed, log messages, pending calls. It has no terminal code.
//
// Locks are taken in the order connecting, Session.mu, Call.mu; the store and the
// linter have locks of their own, under which they call nothing of the session.
//
// All methods may be called from any goroutine. None of those that a user
// interface calls while it draws waits for the server.
package session
