// Package client talks MCP to one server: it connects, sends requests, responds
// to requests of the server, cancels, and times out.
//
// [Client.Connect] opens a transport and negotiates: package negotiate decides
// between server/discover, initialize and the fallbacks, and the client executes
// its actions. [Client.Do] is the one way to send a request after that;
// [Client.Call] and the lists use it.
//
// Everything is reported to a [Tap] before the client acts on it, frames as the
// bytes on the wire. The client keeps only pending requests. Results stay the
// JSON that the server sent, with all members that this program does not know.
//
// The package has no terminal, writes no files and keeps no past frames.
package client
