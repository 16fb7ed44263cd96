// Package negotiate decides how to connect to an MCP server: which era it
// belongs to, which protocol version to offer, and when to retry, fall back or
// give up (2026-07-28, basic / versioning, "Backward Compatibility with
// Initialization-Based Versions"; transports, "Backwards Compatibility").
//
// A [Machine] is a pure state machine. It performs no I/O, starts no goroutine
// and reads no clock. The caller executes an [Action], reports what happened as
// an [Event], and gets the next action. [Detection] has the sentences that led to
// the detected era.
//
//	Idle ──────────┬─ any version ─────────────────────────────► Probing
//	               ├─ handshake version requested/remembered ──► Initializing
//	               ├─ stateless version requested/remembered ──► Discovering
//	               └─ HTTP+SSE requested ──────────────────────► openingStream
//
//	Probing ───────┬─ result with 2026-07-28 ──────────────────► Stateless
//	               ├─ -32020, -32022, busy, network error ─────► Probing, again
//	               ├─ 404 with -32601 ─────────────────────────► listingTools
//	               ├─ process exits (restart) ─────────────────► Initializing
//	               └─ other error, timeout, unsolicited message► Initializing
//
//	listingTools ──┬─ result of a stateless server ────────────► Stateless
//	               └─ other result, 4xx ───────────────────────► Initializing
//
//	Initializing ──┬─ result ──────────────────────────────────► Acknowledging
//	               ├─ error with another version, busy ────────► Initializing, again
//	               ├─ names 2026-07-28, -32601 ────────────────► Discovering
//	               ├─ late response to the probe ──────────────► Stateless, Discovering
//	               └─ 400, 404, 405 (Streamable HTTP) ─────────► openingStream
//
//	openingStream ─── endpoint event ──────────────────────────► Initializing
//
//	Acknowledging ─── notifications/initialized written ───────► Handshaken
//
//	Discovering ───── result with 2026-07-28 ──────────────────► Stateless
//
//	Stateless ─────── request refused for lack of a handshake ─► Renegotiating
//
//	Renegotiating ─┬─ result ──────────────────────────────────► Acknowledging
//	               └─ anything else ───────────────────────────► Stateless
//
// Everything else leads to Failed, except that a remembered era which no longer
// works leads to Probing, once.
package negotiate
