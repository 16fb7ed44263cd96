// Package transport says what a transport is: the thing that moves frames
// between mcptea and one server, and reports everything that happens on the
// way.
//
// The transports themselves live below: stdio runs a child process, streamable
// speaks Streamable HTTP, and httpsse the HTTP+SSE that was before it; these two
// share exchange, and sse, which reads event streams. A transport splits and
// joins frames; it does not match answers to requests, knows no MCP method and
// no capability, and never changes a byte that it carries.
package transport
