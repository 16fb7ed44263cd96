// Package serve serves hosts over HTTP from a command whose server speaks stdio.
//
// A [Gateway] is an [http.Handler]. Each session of a host has a process of its own, which is a server behind a relay of
// package relay: it is recorded, held and restarted like the server of a host over stdio. Instead, all sessions can share
// one process. Requests of 2026-07-28 belong to no session; all of them share one process.
//
//	host ── HTTP ── rpcserver.Endpoint ── conversation ── process ── pipe ── relay.Relay ── stdio ── server
//
// A conversation is one session of package rpcserver, or one request of 2026-07-28. A process matches the frames of the
// server with the requests that they belong to, and sends each one to the stream of its request. Frames pass unchanged,
// except where hosts share a process: there, ids and progress tokens of a host get a prefix on the way to the server.
package serve
