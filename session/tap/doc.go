// Package tap records the traffic between a host and a server, from a place between
// them: [Stdio] is a process that the host starts in place of the server, and [Proxy]
// an HTTP server in front of the server.
//
// Recording never changes, delays or loses a message: the stream hands copies to a queue (package
// store), and one goroutine takes frames out of them and writes the recording. When the disk is
// full, the recording ends with a note, and the stream goes on.
//
// Frames can be held and changed on purpose through a gate (package intercept). The
// recording has each frame as it arrived, and a note about what went on in its place.
//
// Package pipeline has the stages of a connection over stdio, package control the socket over which
// inspectors and commands find an active tap and use it.
package tap
