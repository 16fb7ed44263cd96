// Package transport defines transports: a transport carries frames between the client and one server, and
// reports everything that happens.
//
// The subpackages implement transports: stdio runs a child process, and http has Streamable HTTP and the
// HTTP+SSE transport of 2024-11-05. A transport splits and joins frames. It does not correlate responses with
// requests, depends on no method or capability, and never changes a byte of a frame.
package transport
