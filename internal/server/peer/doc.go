// Package peer implements the server half of MCP: it negotiates a protocol version, responds to requests,
// runs tools and tasks, sends progress, logs and its own requests, and stops work that the client cancels. It
// supports both eras: the versions that open a session with a handshake, 2024-11-05 to 2025-11-25, and
// 2026-07-28, where each request declares its own version and capabilities.
//
// Both eras use one table of methods, and a tool is written once. If it needs input from the client
// ([Call.AskAll]), a session sends a request and waits. A stateless request gets an input request as its
// result, and runs again when the client repeats it with the response. A task waits until the response
// arrives.
//
// A [Server] is a description: lists of tools, resources and prompts, and the data that its sessions share. A
// [Session] is one connection. Frames come in through [Session.Handle] and leave through a [Reply]. The
// package depends on no transport, no process and no clock, except for the pace of simulated work, and not on
// the content of the lists.
//
// It can also serve a [Server] over stdio and HTTP.
package peer
