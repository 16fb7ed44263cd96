// Package composer implements the editor in which the user writes a frame: a method and its params, with an
// id of any kind and the _meta that the protocol version requires, or the bytes of the whole frame.
//
// It warns but never prevents: every frame can be sent. In raw mode the text is the frame, byte for byte. The
// response appears under the draft. The package builds bytes and passes them to the root model; it sends
// nothing itself.
package composer
