// Package session is one debugging session: a connection to a server, and the
// record of everything that happened on it, over restarts of the server.
//
// It stands between the client, which it drives, and whoever shows or scripts
// the session. It is the client's tap: each frame goes to the store first;
// then the session follows what the frames mean: lists that changed, log
// messages, calls that run. It knows no terminal and draws nothing.
//
// All methods may be called from any goroutine. None of those that a user
// interface calls while it draws waits for the server.
package session
