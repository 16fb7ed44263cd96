// Package mock is a server that responds as the server of a recording did.
//
// A request is matched with the requests of the recording by its method and params;
// equal requests get the successive recorded responses, and then the last one again.
// With the response comes what the server sent for the request: notifications, and
// requests of its own. Ids, progress tokens and ids of subscriptions are replaced by
// those of the client; all other bytes are those of the recording. A request without
// a match gets an error response that names the nearest recorded one.
//
// [Server.ServeStdio] and [Server.Handler] serve it over stdio, Streamable HTTP and
// HTTP+SSE, whatever the transport of the recording was.
package mock
