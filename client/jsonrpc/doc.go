// Package jsonrpc parses and builds JSON-RPC 2.0 frames as bytes.
//
// A frame is the unit of a transport: a line, an HTTP body, an SSE event. [Scan]
// reads it once, classifies it and locates its members as [Span] values; it keeps no
// bytes. Nothing below the top level is decoded, and nothing is re-encoded: what is
// displayed and recorded are the bytes that were sent or received.
//
// The package knows no MCP method, no transport and no clock. It never panics, and
// its functions may be called from any goroutine.
package jsonrpc
