// Package replay sends the client's half of a recording to a server again, and compares
// the responses.
//
// The frames of the client are sent as they were recorded, after a handshake of the
// same protocol version and with the same capabilities. A request is sent when the
// responses have come that it followed in the recording. Requests of the server get
// the recorded responses. What a server makes up is carried over: where the client
// sent back a cursor, the id of a task or the state of a request, the new one is sent.
package replay
