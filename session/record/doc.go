// Package record is the format of recordings: what happened in a session, as
// events in JSON Lines. FORMAT.md is the specification.
//
// The payload of a frame is last in its line and verbatim, so that a frame's
// bytes are in the file exactly as they crossed the wire, and a reader cuts them
// out instead of decoding them. Bytes that cannot be in a line of JSON (text
// on stdout, invalid UTF-8, a line break) are kept in Base64.
//
// A running session and a recording are read through the same [Decoder]; see
// store.Tail for the former and [Reader] for the latter.
//
// It also is how serious something is that a check has found.
package record
