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
//	idle ──────────┬─ any version ─────────────────────────────► probing
//	               ├─ handshake version requested/remembered ──► initializing
//	               ├─ stateless version requested/remembered ──► discovering
//	               └─ HTTP+SSE requested ──────────────────────► openingStream
//
//	probing ───────┬─ result with 2026-07-28 ──────────────────► stateless
//	               ├─ -32020, -32022, busy, network error ─────► probing, again
//	               ├─ 404 with -32601 ─────────────────────────► listingTools
//	               ├─ process exits (restart) ─────────────────► initializing
//	               ├─ other error, timeout, unsolicited message► initializing
//	               └─ any other status but 401, lost connection► initializing
//
//	listingTools ──┬─ result of a stateless server ────────────► stateless
//	               └─ other result, any failure ───────────────► initializing
//
//	initializing ──┬─ result ──────────────────────────────────► acknowledging
//	               ├─ error with another version, busy ────────► initializing, again
//	               ├─ names 2026-07-28, -32601 ────────────────► discovering
//	               └─ 400, 404, 405 (Streamable HTTP) ─────────► openingStream
//
//	openingStream ─── endpoint event ──────────────────────────► initializing
//
//	acknowledging ─── notifications/initialized written ───────► handshaken
//
//	discovering ───── result with 2026-07-28 ──────────────────► stateless
//
//	stateless ─────── request refused for lack of a handshake ─► renegotiating
//
//	renegotiating ─┬─ result ──────────────────────────────────► acknowledging
//	               └─ anything else ───────────────────────────► stateless
//
// Everything else leads to failed, except that a remembered era which no longer
// works leads to probing, once.
package negotiate
