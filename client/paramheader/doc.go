// Package paramheader reads the x-mcp-header annotations of a tool's input
// schema, by which a server has arguments of a call repeated in HTTP headers
// (2026-07-28, basic / transports, "Custom Headers from Tool Parameters"), and
// finds the values for them.
//
// It knows schemas and arguments as bytes. It must not know how a request is
// sent, nor what becomes of a tool whose annotations are wrong.
package paramheader
