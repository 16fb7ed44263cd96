// Package composer is where the user writes a frame: a method and its params,
// with an id of any kind and the _meta that the revision requires, or the bytes of
// the whole frame.
//
// It warns and never forbids: every frame can be sent. In raw mode the text is the
// frame, byte for byte; nothing is added to it and nothing is changed. The response
// appears under the draft. The package builds bytes and hands them to the root; it
// sends nothing itself.
package composer
