// Package replay plays recordings: a [Mock] responds as the server of a recording did, and
// a [Replay] sends to a server what the client of a recording sent, and compares the
// responses. Both read the recording as a [Transcript]: each message of the client with
// its response and with what the server sent meanwhile. [Compare] compares two of them.
//
// A request of a client of the mock is matched with the requests of the recording by its method and
// params; equal requests get the successive recorded responses, and then the last one again. With the
// response comes what the server sent for the request: notifications, and requests of its own. Ids,
// progress tokens and ids of subscriptions are replaced by the client's; all other bytes come from the
// recording. A request without a match gets an error response that names the nearest recorded one.
// [Mock.ServeStdio] and [Mock.Handler] serve it over stdio, Streamable HTTP and HTTP+SSE, whatever the
// transport of the recording was.
//
// A replay sends the frames of the client as they were recorded, after a handshake of the
// same protocol version and with the same capabilities. A request is sent when the
// responses have come that it followed in the recording. Requests of the server get the
// recorded responses. What a server makes up is carried over: where the client sent back a
// cursor, the id of a task or the state of a request, the new one is sent.
package replay
