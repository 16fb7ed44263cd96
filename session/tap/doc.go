// Package tap records the traffic between a host and a server: [Stdio] is a process that the host starts
// instead of the server, and [Proxy] is an HTTP server in front of the server.
//
// Recording never changes, delays or loses a message: the stream puts copies into a queue (package store),
// and one goroutine splits them into frames and writes the recording. When the disk is full, the recording
// ends with a note, and the stream continues.
//
// A gate can hold and change frames when the user requests it (package intercept). The recording has each
// frame as it arrived, and a note about the frame that was forwarded instead.
//
// Package pipeline has the stages of a connection over stdio. Package control serves the socket through which
// inspectors and commands find and use an active tap.
package tap
