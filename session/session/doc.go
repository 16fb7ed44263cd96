// Package session is one debugging session: a connection to a server, and the
// record of everything that happened on it, over restarts of the server.
//
// It drives the client and serves the user interface and scripts. It is the
// client's tap: each frame goes to the store first; then the session updates its
// state: lists that changed, tasks, server requests. Package store has the record
// with its log and its correlation, package requests what the server asks of the client
// and its tasks. In a session that was opened from a recording the same state follows from
// the events of the file (fold.go). It has no terminal code.
//
// # Locks
//
// The order is Session.connecting, Session.mu, Call.mu. The store, the linter, the
// inbox and the tasks have locks of their own, under which they call nothing of the
// session; so they may be called with Session.mu held, except for the inbox and the
// tasks, which call back before they take their lock.
//
// All methods may be called from any goroutine. None of those that a user
// interface calls while it draws waits for the server.
//
// # Waiting
//
// [Session.Until] and [Session.List] wait for something of a session; nothing polls. What waits for
// a response has an outcome when the connection ends: a struct that keeps such requests has one
// method for it, settleAll. A WaitGroup that another goroutine may wait for is increased under the
// lock of a flag that says whether the wait has begun.
package session
