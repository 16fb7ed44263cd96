// Package demo is the built-in MCP server: for users without a server of their own, and
// for tests. It supports all revisions, over stdio ([Server.ServeStdio]) and over
// Streamable HTTP ([Server.Handler]), and can violate one rule on purpose ([Faults]).
//
// Package catalog has the tools and resources, package peer the behavior of a server,
// package headers the rules for HTTP headers; this package has the two transports and
// the faults. It shares nothing with the client but the frame builders of
// client/jsonrpc.
package demo
