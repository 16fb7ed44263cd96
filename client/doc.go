// Package client talks MCP to one server: it connects, calls, answers what the
// server asks, cancels, and gives up in time.
//
// Everything that happens is reported to a [Tap], bytes first, before the
// client acts on it; the client itself keeps only the requests that wait for
// an answer. Results stay the JSON that the server sent: a field that this
// program has never heard of passes through.
//
// It begins with initialize. In the revision that has no handshake, 2026-07-28,
// it asks with server/discover instead, and each request says who asks.
//
// The package does not know who watches. It has no terminal, no file and no
// memory of past frames.
package client
