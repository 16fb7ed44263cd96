// Package relay is the first stage of a tap whose server can be replaced while its host stays
// connected over stdio: a process that is started again when its files change ([Relay] is a Session of
// package watch), or a server with a URL.
//
// It forwards whole frames. While no server of their generation is ready, the frames of the host wait in
// order; when the server has failed, its requests get an error response with the reason. A new server gets
// the host's own initialize and initialized again, with an id of the relay's, and what the host has
// subscribed to; the host does not see that. What the host waits for when a server is replaced is answered
// with an error. No data of one server or session reaches another server or session.
//
//	host.go      frames of the host: they go on, or are answered
//	wait.go      frames of the host that wait for a server
//	server.go    one server, and what is sent to it
//	incoming.go  frames of a server, and concern.go those that need not be looked at
//	known.go     what is known of the host, and calls.go its requests
//	restart.go   the end of a server
//	start.go     the start of the next one, and what is repeated to it
//	again.go     a server that has ended by itself is started again
//	lists.go     what differs in its lists, and what the host is told
//	declare.go   listChanged in the result of initialize
//	fallback.go  HTTP+SSE, where Streamable HTTP is not supported
//	exchange.go  frames over HTTP, and their failures
//	expiry.go    another session in place of one that has expired
//	spool.go     what the host has written and waits, and outlet.go what waits for the host
//	end.go       the end of the relay
//	consent.go   requests that wait for the user to sign in
package relay
