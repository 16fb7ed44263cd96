// Package peer is the server's half of an MCP session: it negotiates a
// revision, answers requests, runs tools, sends progress, logs and requests of
// its own, and stops what the client cancels. It covers the revisions that open
// a session with a handshake, 2024-11-05 to 2025-11-25.
//
// A [Server] is a description: tables of tools, resources and prompts. A
// [Session] is one client talking to it. Frames come in through
// [Session.Handle] and leave through a [Reply]; the package knows no transport,
// no process and no clock but the pace at which pretended work goes on. It must
// not know what is in the tables either.
package peer
