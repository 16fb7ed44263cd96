// Package sse reads event streams, the text/event-stream format of the HTML
// standard as Streamable HTTP and HTTP+SSE use it.
//
// It turns bytes into events as soon as their blank line is in, keeps the
// exact bytes of every event beside its meaning, and shows an event that the
// end of the stream tore. It must not know HTTP, JSON-RPC or MCP, opens no
// connection and never reconnects: who reads a stream decides what its ids and
// delays are good for.
package sse
