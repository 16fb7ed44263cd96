// Package jsonrpc reads and writes JSON-RPC 2.0 frames as bytes.
//
// A frame is what a transport delivered as one unit: a line, an HTTP body, an
// SSE event. [Scan] looks at it once, decides what it is and where its parts
// stand, and keeps nothing: every part is a [Span] into the bytes of the
// caller. Nothing is decoded that nobody asked for, and nothing is ever
// re-encoded, since an inspector that shows other bytes than those that
// crossed the wire is of no use.
//
// The package knows JSON-RPC and nothing else: no MCP method, no transport, no
// clock. It never panics on any input and all its functions may be called from
// any goroutine.
package jsonrpc
