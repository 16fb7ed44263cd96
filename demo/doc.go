// Package demo is the MCP server that mcptea carries inside: the show-case for
// people who have no server of their own at hand, and the scripted peer of the
// tests. It speaks all revisions, those with a handshake and the one without,
// over standard input and output ([Server.ServeStdio]) and over Streamable HTTP
// ([Server.Handler]), and can be told to get one thing wrong on purpose
// ([Faults]).
//
// The tools and resources are in package catalog, the behavior of a server in package
// peer, what HTTP headers must repeat in package headers; this package owns the
// two transports and the faults. It must know
// nothing of mcptea's own client, its screens or its command line: it is a
// server like any other, and only the frame builders of client/jsonrpc are
// shared.
package demo
