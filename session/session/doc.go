// Package session implements one debugging session: a connection to a server, and the record of everything that
// happened on it, across restarts of the server.
//
// It drives the client and serves the user interface and scripts. As the client's tap, it adds each frame to
// the store first and then updates its state: changed lists, tasks, server requests. Package store holds the
// record with its log and correlation; package requests holds server requests and tasks. In a session opened
// from a recording, the same state is derived from the events of the file (fold.go). The package has no
// terminal code.
//
// # Locks
//
// The order is Session.connecting, Session.mu, Call.mu. The store, the linter, the inbox and the tasks have
// their own locks, under which they do not call the session, so they may be called with Session.mu held. The
// exceptions are the inbox and the tasks, which call back before they take their lock.
//
// All methods are safe for concurrent use. Methods that a user interface calls while drawing never wait for the
// server.
//
// # Waiting
//
// [Session.Until] and [Session.List] wait for a condition; nothing polls. A waiting request always gets an
// outcome when the connection ends: each struct that keeps such requests has a method settleAll for it. A
// WaitGroup that another goroutine may wait for is increased under the lock of a flag that tells whether the
// wait has begun.
package session
