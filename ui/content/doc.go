// Package content shows what an answer says: text as text, JSON as JSON,
// pictures and sound as facts, errors as errors, and on demand the result
// exactly as it was sent.
//
// It knows the result types of the protocol and nothing of who asked: no keys,
// no calls, no panes. Decoding happens once, in New; painting costs what is
// visible.
package content
