// Package transport defines what a transport is: it carries frames between the
// client and one server, and reports everything that happens.
//
// The subpackages have the transports: stdio runs a child process, streamable is
// Streamable HTTP, httpsse is HTTP+SSE of 2024-11-05, inmemory is for servers in the
// same process. rpchttp and sse are shared by those over HTTP. A transport splits
// and joins frames. It does not correlate responses with requests, knows no method
// and no capability, and never changes a byte of a frame.
package transport
