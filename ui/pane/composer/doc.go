// Package composer is where a person writes a frame: a method with completion,
// params, an id of any kind, or the bytes as they are, right or wrong.
//
// It warns and never forbids: what somebody wants to send is sent. The answer
// appears under the draft. The package builds bytes and hands them to the
// root; it sends nothing itself.
package composer
