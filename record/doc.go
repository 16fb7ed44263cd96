// Package record defines the format of recordings: the events of a session in JSON Lines. FORMAT.md is the
// specification.
//
// The payload of a frame is verbatim and last in its line. So the file contains a frame's bytes exactly as
// they crossed the wire, and a reader cuts them out instead of decoding them. Bytes that cannot be in a line
// of JSON (text on stdout, invalid UTF-8, a line break) are stored in Base64.
//
// The same [Decoder] reads a running session (store.Tail) and a recording ([Reader]).
//
// The package also defines the severity of findings.
package record
