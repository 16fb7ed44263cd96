// Package peer is the server's half of MCP: it negotiates a revision, answers
// requests, runs tools and tasks, sends progress, logs and requests of its own,
// and stops what the client cancels. It covers both eras: the revisions that
// open a session with a handshake, 2024-11-05 to 2025-11-25, and 2026-07-28,
// where each request stands alone and says itself under which terms it comes.
//
// Both use one table of methods, and a tool is written once. If it asks the client something
// ([Call.AskAll]), a session sends a request and waits; a request that stands alone is answered with
// the question, and runs again when the client comes back with the answer; a task waits until the
// answer arrives.
//
// A [Server] is a description: lists of tools, resources and prompts, and what
// is shared by its sessions. A [Session] is one connection. Frames come in through
// [Session.Handle] and leave through a [Reply]; the package knows no transport,
// no process and no clock but the pace at which pretended work goes on. It must
// not know what is in the lists either.
//
// It also has a server of package peer over stdio and HTTP.
package peer
